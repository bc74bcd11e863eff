#include "model/optimizers/settings.hpp"

#include "base/text/text.hpp"

#include <stdexcept>

namespace troupe {

void check_setting(const std::string& optimizer, const std::map<std::string, double>& known,
                   const std::string& setting) {
  if (known.count(setting))
    return;
  throw std::invalid_argument(optimizer + " has no setting '" + setting + "'; it knows: "
                              + joined(known, ", ", [](const auto& entry) { return entry.first; }));
}

} // namespace troupe
