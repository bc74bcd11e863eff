#include "apps/catalog/extension_sync.hpp"

#include "base/config/decode.hpp"
#include "extensions/sync/shared_params_rate_limited.hpp"

#include <algorithm>

namespace troupe {

std::optional<ParameterSyncOptions> sync_of(const ConfiguredExtension& extension) {
  if (extension.type == "shared_params_auto_sync") {
    ParameterSyncOptions options;
    if (config::decode(extension.options, options, "").empty())
      return options;
  } else if (extension.type == "shared_params_rate_limited") {
    SharedParamsRateLimitedOptions options;
    if (config::decode(extension.options, options, "").empty())
      return options.sync;
  }
  return {};
}

bool joins_or_leaves(const Condition& condition) {
  return condition.callback == Callback::before_training
         || condition.callback == Callback::on_interrupt
         || condition.callback == Callback::after_training
         || condition.callback == Callback::on_error;
}

bool syncs_while_training(const Conditions& conditions) {
  const auto& all = conditions.all();
  return !std::all_of(all.begin(), all.end(), joins_or_leaves);
}

} // namespace troupe
