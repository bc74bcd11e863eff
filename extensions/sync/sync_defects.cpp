#include "extensions/sync/sync_defects.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace troupe {

namespace {

/// Whether a worker joins those that share parameters, or leaves them, at that moment.
bool joins_or_leaves(const Condition& condition) {
  return condition.callback == Callback::before_training
         || condition.callback == Callback::on_interrupt
         || condition.callback == Callback::after_training
         || condition.callback == Callback::on_error;
}

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

} // namespace

Sentences sync_defects(const ParameterSyncOptions& sync, const ConfiguredExtension& self,
                       const RunFacts& run) {
  Sentences errors;
  check_wire(self, sync, run.wire, errors);
  check_elasticity(self, sync, run.workers, errors);
  check_moments(self, sync, errors);
  return errors;
}

bool syncs_while_training(const Conditions& conditions) {
  const auto& all = conditions.all();
  return !std::all_of(all.begin(), all.end(), joins_or_leaves);
}

} // namespace troupe
