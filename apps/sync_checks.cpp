#include "troupe/apps/sync_checks.hpp"

#include "troupe/apps/config/decode.hpp"
#include "troupe/extensions/shared_params_rate_limited.hpp"

#include <cmath>
#include <optional>
#include <sstream>

namespace troupe {

namespace {

/// How an extension syncs; nothing where it does not, or its options cannot be.
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

/// What is kept only by a rule that adds up steps: whole parameters are not a few large ones.
void check_wire(const ConfiguredExtension& extension, const ParameterSyncOptions& sync,
                WireFormat format, Sentences& errors) {
  if (format == WireFormat::top_k && sync.rule != Rule::downpour)
    errors.push_back("cluster.wire.format is top_k, which sends the largest steps: extensions."
                     + extension.name + " needs `rule: downpour` for it");
}

/// The shared parameters become (1 - e n) S + e n mean(W): beyond e n = 1 they overshoot the
/// workers' mean, and from 2 on they diverge. Zhang, Choromanska, LeCun, "Deep learning with
/// elastic averaging SGD", 2015, equation 6.
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

} // namespace

void check_syncs(const RunConfig& config, WorkerId workers, Sentences& errors) {
  for (const auto& extension : config.extensions)
    if (const auto sync = sync_of(extension)) {
      check_wire(extension, *sync, config.cluster.wire.format, errors);
      check_elasticity(extension, *sync, workers, errors);
    }
}

} // namespace troupe
