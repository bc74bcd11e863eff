#include "base/fields.hpp"

namespace troupe {

std::vector<std::string> split_names(std::string_view listed) {
  std::vector<std::string> names;
  std::string name;
  for (const char c : listed) {
    if (c == ',')
      names.push_back(std::exchange(name, {}));
    else if (c != ' ' && c != '\n' && c != '\t')
      name += c;
  }
  if (!name.empty())
    names.push_back(name);
  return names;
}

} // namespace troupe
