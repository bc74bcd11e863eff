// Evaluation: a version of the parameters measured on a section of the problem.
//
//   anyone                          evaluator
//     | ---- Evaluate -------------> |
//     | <--- Evaluated ------------- |   after the whole section; others are answered meanwhile
#pragma once

#include "messages/loop/loop.hpp"
#include "model/data/problem.hpp"

namespace troupe {

/// Asks for the metrics of some parameters.
struct Evaluate {
  Snapshot parameters;                   ///< shared with the sender, not copied
  Section section = Section::validation; ///< of the evaluator's problem
  Step batches = 0;                      ///< only the first batches of the section; 0: all of it
  bool spread = false;                   ///< also how the metrics differ between batches
  double deadline = 0; ///< seconds that it may take once it has started; 0: unlimited
  TROUPE_FIELDS(parameters, section, batches, spread, deadline);
};

/// A number by which predictions are judged.
struct Metric {
  std::string name; ///< "loss", "accuracy", "r2", ...
  double value = 0; ///< weighted over all examples; 0 if it is undefined
  TROUPE_FIELDS(name, value);
};

/// How a metric differs between the batches of a section, equally weighted, without those in which
/// it is undefined. All are -1 if it is undefined in every batch.
struct MetricSpread {
  /// Over the batches
  double minimum = 0, maximum = 0; ///< over the batches
  double deviation = 0;            ///< with n - 1 in the denominator; 0 of one batch
  TROUPE_FIELDS(minimum, maximum, deviation);
};

/// The metrics, measured with layers in their state for evaluation.
struct Evaluated {
  Version version = 0;                   ///< of the parameters that were measured
  Section section = Section::validation; ///< which was measured
  std::vector<Metric> metrics;           ///< the loss first
  std::vector<std::string> undefined;    ///< metrics that are 0/0: their value is 0
  std::uint64_t examples = 0;            ///< that were measured
  double seconds = 0;                    ///< that it took
  Step batches = 0;                      ///< how many were measured, if `spread` was set
  std::vector<MetricSpread> spreads;     ///< one for each metric, if `spread` was set
  TROUPE_FIELDS(version, section, metrics, undefined, examples, seconds, batches, spreads);
};

/// The evaluator to itself: measure the next slice of the section.
struct ContinueEvaluation {
  TROUPE_FIELDS();
};

/// Measures parameters (actors/evaluation/evaluator.hpp).
using Evaluator = caf::typed_actor<caf::replies_to<Evaluate>::with<Evaluated>>;

} // namespace troupe
