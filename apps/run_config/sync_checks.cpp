#include "apps/run_config/sync_checks.hpp"

#include "base/config/decode.hpp"
#include "base/text/text.hpp"
#include "extensions/sync/shared_params_rate_limited.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace troupe {

namespace {

/// top_k needs a rule that adds up steps: whole parameters do not consist of a few large values.
void check_wire(const ConfiguredExtension& extension, const ParameterSyncOptions& sync,
                WireFormat format, Sentences& errors) {
  if (format == WireFormat::top_k && sync.rule != Rule::downpour)
    errors.push_back("cluster.wire.format is top_k, which sends the largest steps: extensions."
                     + extension.name + " needs `rule: downpour` for it");
}

/// The shared parameters become (1 - e n) S + e n mean(W): for e n > 1 they overshoot the workers'
/// mean, and from 2 on they diverge. Zhang, Choromanska, LeCun, "Deep learning with elastic
/// averaging SGD", 2015, equation 6.
void check_elasticity(const ConfiguredExtension& extension, const ParameterSyncOptions& sync,
                      WorkerId workers, Sentences& errors) {
  const auto elasticity = static_cast<double>(sync.elasticity);
  const auto moved = elasticity * static_cast<double>(workers);
  if (sync.rule != Rule::easgd || moved <= 1 + 1e-6) // a third times 3, in floats
    return;
  std::ostringstream sentence;
  sentence << "extensions." << extension.name << " has an elasticity of " << sync.elasticity
           << ", times " << workers
           << " workers more than 1: the shared parameters overshoot and can diverge; give at most "
           << std::floor(1e4 / workers) / 1e4;
  errors.push_back(sentence.str());
}

/// gradient_average acts before the update, other rules at other moments; without a suitable moment
/// training would continue without the other workers.
void check_moments(const ConfiguredExtension& extension, const ParameterSyncOptions& sync,
                   Sentences& errors) {
  const auto refuse = [&](const std::string& defect) {
    errors.push_back("extensions." + extension.name + ": " + defect);
  };
  if (sync.rule == Rule::gradient_average && extension.type != "shared_params_auto_sync")
    return; // the extension itself refuses it
  auto averages = false;
  for (const auto& condition : extension.conditions.all()) {
    if (joins_or_leaves(condition))
      continue;
    if (auto defect = defect_at_callback(sync.rule, condition.callback); !defect.empty())
      return refuse(defect);
    averages = averages || condition.callback == Callback::before_update;
  }
  if (sync.rule == Rule::gradient_average && !averages)
    refuse("the rule gradient_average takes part in every update; give it `before_update: true`");
}

/// A worker joins only once: a second sync would join under the same number.
void check_single(const std::vector<ConfiguredExtension>& extensions, Sentences& errors) {
  std::vector<std::string> names;
  for (const auto& extension : extensions)
    if (sync_of(extension))
      names.push_back("extensions." + extension.name);
  if (names.size() > 1)
    errors.push_back(joined(names)
                     + " would each share the parameters of the same workers; keep "
                       "one, and switch the others off, like "
                     + names.front() + "=false");
}

} // namespace

bool ahead_of_shared(const RunConfig& config) {
  return std::any_of(config.extensions.begin(), config.extensions.end(), [](const auto& extension) {
    const auto sync = sync_of(extension);
    return sync && sync->rule == Rule::gradient_average;
  });
}

bool holds_result(const SavedHolder& holder, Index parameters, const RunConfig& config) {
  return holder.pushes > 0 && holder.values.size() >= parameters && !ahead_of_shared(config);
}

void check_syncs(const RunConfig& config, WorkerId workers, Sentences& errors) {
  check_single(config.extensions, errors);
  for (const auto& extension : config.extensions)
    if (const auto sync = sync_of(extension)) {
      check_wire(extension, *sync, config.cluster.wire.format, errors);
      check_elasticity(extension, *sync, workers, errors);
      check_moments(extension, *sync, errors);
    }
}

} // namespace troupe
