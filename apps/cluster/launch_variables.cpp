#include "apps/cluster/launch_variables.hpp"

#include <unistd.h>

namespace troupe {

std::map<std::string, std::string> environment_variables() {
  std::map<std::string, std::string> result;
  for (auto* variable = environ; *variable != nullptr; ++variable) {
    const std::string text{*variable};
    if (const auto equals = text.find('='); equals != std::string::npos)
      result[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return result;
}

} // namespace troupe
