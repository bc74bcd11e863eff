#include "model/optimizers/settings.hpp"

#include <stdexcept>

namespace troupe {

void check_setting(const std::string& optimizer, const std::map<std::string, double>& known,
                   const std::string& setting) {
  if (known.count(setting))
    return;
  std::string list;
  for (const auto& [name, value] : known)
    list += (list.empty() ? "" : ", ") + name;
  throw std::invalid_argument(optimizer + " has no setting '" + setting + "'; it knows: " + list);
}

} // namespace troupe
