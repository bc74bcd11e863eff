// Evaluates the parameters on a section of the problem, through the evaluator.
#pragma once

#include "messages/evaluation/evaluation.hpp"
#include "messages/log/log.hpp"
#include "messages/loop/extension.hpp"

namespace troupe {

/// The options of the extension `stream_monitoring`.
struct StreamMonitoringOptions {
  std::string section = "validation"; ///< train, validation or test
  std::string prefix = {};            ///< before each metric, with "_"; "": the section's name
  std::string suffix = {};            ///< after each metric, with "_"
  Step batches = 0;    ///< number of the evaluator's batches, from the first; 0: the whole section
  bool spread = false; ///< true: also the spread of the metrics over batches
  bool gate = false;   ///< true: training waits for the metrics
  Step ahead = 4;      ///< without `gate`: evaluations in flight before training waits for one
  double deadline = 600; ///< seconds for one evaluation
  TROUPE_FIELDS(section, prefix, suffix, batches, spread, gate, ahead, deadline);
};

/// before_first_epoch and after_epoch.
Conditions stream_monitoring_conditions();

/// @throws std::invalid_argument for invalid options.
void check(const StreamMonitoringOptions& options);

/// A gate, subscribed with parameters: it takes the snapshot, announces its records to the logger
/// and answers at once; with `gate: true` it answers with the metrics. Each evaluation in flight
/// keeps a snapshot of the parameters, so with more than `ahead` of them training waits, or an
/// observer drops copies. The records name the version of the parameters (`<prefix>_version`). With
/// `spread: true` they also have the minimum, maximum and deviation of each metric over the batches
/// (`<prefix>_loss_min`, `_max`, `_std`), and the number of batches
/// (`<prefix>_episodes_aggregated`). It ends when no handle to it is left; Drain waits for
/// evaluations in flight.
/// @throws std::invalid_argument for an unknown section, an invalid deadline, or a missing
/// evaluator.
Extension spawn_stream_monitoring(caf::actor_system& system, StreamMonitoringOptions options,
                                  Evaluator evaluator, Logger logger);

} // namespace troupe
