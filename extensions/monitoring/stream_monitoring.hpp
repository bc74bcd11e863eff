// Measures the parameters on a section of the problem, through the evaluator.
#pragma once

#include "messages/evaluation/evaluation.hpp"
#include "messages/log/log.hpp"
#include "messages/loop/extension.hpp"

namespace troupe {

struct StreamMonitoringOptions {
  std::string section = "validation"; ///< train, validation or test
  std::string prefix;                 ///< before each metric, with "_"; "": the section's name
  std::string suffix;                 ///< after each metric, with "_"
  Step batches = 0;    ///< the evaluator's first so many batches; 0: the whole section
  bool spread = false; ///< true: also how the metrics of single batches differ
  bool gate = false;   ///< true: training waits for the metrics
  Step ahead = 4;      ///< else: evaluations under way at which training does not yet wait for one
  double deadline = 600; ///< seconds for one evaluation
  FIELDS(section, prefix, suffix, batches, spread, gate, ahead, deadline);
};

/// before_first_epoch and after_epoch.
Conditions stream_monitoring_conditions();

/// @throws std::invalid_argument for options that cannot be.
void check(const StreamMonitoringOptions& options);

/// A gate, subscribed with parameters: it takes the snapshot, announces its records to the logger
/// and lets training go on at once; with `gate: true` it lets it go on with the metrics. Where
/// training is faster than the evaluator, it waits, or copies are lost to an observer, once more
/// than `ahead` evaluations are under way, as each keeps a snapshot of the parameters. The records
/// name the version they were measured on (`<prefix>_version`); with `spread: true` they
/// have the batches' minimum, maximum and deviation of each metric, too (`<prefix>_loss_min`,
/// `_max`, `_std`), and how many batches there were (`<prefix>_episodes_aggregated`). It ends when
/// nobody holds a handle to it any more; Drain waits for evaluations under way.
/// @throws std::invalid_argument for an unknown section, a deadline that is none, and without an
/// evaluator.
Extension spawn_stream_monitoring(caf::actor_system& system, StreamMonitoringOptions options,
                                  Evaluator evaluator, Logger logger);

} // namespace troupe
