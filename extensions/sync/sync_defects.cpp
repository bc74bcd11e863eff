#include "extensions/sync/sync_defects.hpp"

#include <algorithm>

namespace troupe {

namespace {

/// Whether a worker joins those that share parameters, or leaves them, at that moment.
bool joins_or_leaves(const Condition& condition) {
  return condition.callback == Callback::before_training
         || condition.callback == Callback::on_interrupt
         || condition.callback == Callback::after_training
         || condition.callback == Callback::on_error;
}

/// Whole parameters do not consist of a few large values, nor of 15 equidistant ones.
void check_wire(const ConfiguredExtension& extension, const ParameterSyncOptions& sync,
                WireFormat format, Sentences& errors) {
  if ((format == WireFormat::top_k || format == WireFormat::int4) && !sends_steps(sync.rule))
    errors.push_back("cluster.wire.format is " + to_string(format)
                     + ", which suits steps only: extensions." + extension.name
                     + " needs `rule: downpour` for it");
}

void check_worker_count(const ConfiguredExtension& extension, const ParameterSyncOptions& sync,
                        WorkerId workers, Sentences& errors) {
  if (!defect_of(sync.rule).empty())
    return; // check refuses it
  if (const auto defect = formula_of(sync.rule)->defect_with(workers); !defect.empty())
    errors.push_back("extensions." + extension.name + " has " + defect);
}

/// Shared gradients act before the update, other rules at other moments; without a suitable moment
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
  if (shares_gradients(sync.rule) && !averages)
    refuse("the rule " + sync.rule.name
           + " takes part in every update; give it `before_update: true`");
}

/// Within a process there is nothing to hide, and a checkpoint of it takes workers and holder
/// without a push in flight.
void check_overlap(const ConfiguredExtension& extension, const ParameterSyncOptions& sync,
                   bool one_process, Sentences& errors) {
  if (sync.overlap && one_process)
    errors.push_back("extensions." + extension.name
                     + ".overlap hides the time that the network takes, and the workers of one "
                       "process have none between them; leave it out, or start a cluster with "
                       "`troupe launch`");
}

} // namespace

Sentences sync_defects(const ParameterSyncOptions& sync, const ConfiguredExtension& self,
                       const RunFacts& run) {
  Sentences errors;
  check_wire(self, sync, run.wire, errors);
  check_worker_count(self, sync, run.workers, errors);
  check_moments(self, sync, errors);
  check_overlap(self, sync, run.one_process, errors);
  return errors;
}

bool syncs_while_training(const Conditions& conditions) {
  const auto& all = conditions.all();
  return !std::all_of(all.begin(), all.end(), joins_or_leaves);
}

} // namespace troupe
