// Evaluation: a version of the parameters measured on a section of the problem.
//
//   anyone                          evaluator
//     | ---- Evaluate -------------> |
//     | <--- Evaluated ------------- |   after the whole section; others are answered meanwhile
#pragma once

#include "messages/loop/loop.hpp"
#include "model/data/problem.hpp"

namespace troupe {

struct Evaluate {
  Snapshot parameters;
  Section section = Section::validation;
  Step batches = 0;    ///< only the first batches of the section; 0: all of it
  bool spread = false; ///< also how the metrics differ between batches
  double deadline = 0; ///< seconds that it may take once it has started; 0: unlimited
  FIELDS(parameters, section, batches, spread, deadline);
};

struct Metric {
  std::string name; ///< "loss", "accuracy", "r2", ...
  double value = 0;
  FIELDS(name, value);
};

/// How a metric differs between the batches of a section, equally weighted, without those in which
/// it is undefined. All are -1 if it is undefined in every batch.
struct MetricSpread {
  double minimum = 0, maximum = 0;
  double deviation = 0; ///< with n - 1 in the denominator; 0 of one batch
  FIELDS(minimum, maximum, deviation);
};

struct Evaluated {
  Version version = 0; ///< of the parameters that were measured
  Section section = Section::validation;
  std::vector<Metric> metrics;
  std::vector<std::string> undefined; ///< metrics that are 0/0: their value is 0
  std::uint64_t examples = 0;
  double seconds = 0;
  Step batches = 0;                  ///< how many were measured, if `spread` was set
  std::vector<MetricSpread> spreads; ///< one for each metric, if `spread` was set
  FIELDS(version, section, metrics, undefined, examples, seconds, batches, spreads);
};

/// The evaluator to itself: measure the next slice of the section.
struct ContinueEvaluation {
  FIELDS();
};

using Evaluator = caf::typed_actor<caf::replies_to<Evaluate>::with<Evaluated>>;

} // namespace troupe
