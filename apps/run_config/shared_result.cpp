#include "apps/run_config/shared_result.hpp"

#include "extensions/support/extension_kind.hpp"

#include <algorithm>

namespace troupe {

bool ahead_of_shared(const RunConfig& config) {
  return std::any_of(config.extensions.begin(), config.extensions.end(), [](const auto& extension) {
    const auto sharing = hook_answer(extension, &RunHooks<>::shares);
    return sharing && sharing->own_are_newer;
  });
}

bool holds_result(const SavedHolder& holder, Index parameters, const RunConfig& config) {
  return holder.pushes > 0 && holder.values.size() >= parameters && !ahead_of_shared(config);
}

} // namespace troupe
