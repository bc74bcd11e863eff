#include "apps/session/reported_state.hpp"

#include "apps/run_config/read_run_config.hpp"
#include "apps/run_config/shared_result.hpp"
#include "extensions/support/extension_kind.hpp"
#include "messages/parameters/parameters_in.hpp"

#include <utility>

namespace troupe {

std::string best_state_of(const RunConfig& config) {
  for (const auto& extension : config.extensions)
    if (auto best = hook_answer(extension, &RunHooks<>::best_state); best && !best->empty())
      return *std::move(best);
  return "";
}

std::filesystem::path best_state_in(const std::filesystem::path& folder) {
  const auto file = folder / "config.yaml";
  std::error_code error;
  if (!std::filesystem::exists(file, error))
    return {};
  ConfigSources sources;
  sources.files = {file};
  std::string best;
  try {
    best = best_state_of(read_run_config(sources));
  } catch (const ConfigError&) {
    return {}; // the parameters can be read without it
  }
  return !best.empty() && std::filesystem::exists(folder / best, error) ? folder / best
                                                                        : std::filesystem::path{};
}

Block parameters_of(const SavedRun& run, const RunConfig& config) {
  const auto& own = run.trainers.front().parameters.values;
  return run.shared && holds_result(*run.shared, own.size(), config)
           ? parameters_in(run.shared->values, own.size())
           : own;
}

} // namespace troupe
