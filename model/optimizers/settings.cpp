#include "troupe/model/optimizers/settings.hpp"

#include <algorithm>
#include <stdexcept>

namespace troupe {

std::string take_name(std::string_view& names) {
  const auto end = std::min(names.find(','), names.size());
  auto name = names.substr(0, end);
  names.remove_prefix(std::min(end + 1, names.size()));
  name.remove_prefix(std::min(name.find_first_not_of(" \n\t"), name.size()));
  return std::string{name};
}

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
