// Continuous evaluation: the newest parameters of a cluster, measured again and again while others
// train.
//
//   anyone                  continuous evaluator          holder, evaluator, logger
//     | - EvaluateVersions --> |                                      |
//     |                        | -- Join, as an observer -----------> |
//     |                        | -- Await --------------------------> |   newer than the last
//     |                        | <---------------------- Parameters - |
//     |                        | -- Evaluate, then Write -----------> |   each version once
//     | - Stop --------------> |                                      |
//     | <- VersionsEvaluated - | -- Leave --------------------------> |
//
// It ends when the workers have left, after it has measured what they left behind; when nothing new
// has come for too long; when the holder is out of reach for too long; and when it is asked to: by
// StopLevel::after_epoch after the newest version, by any other at once.
#pragma once

#include "messages/evaluation/evaluation.hpp"

namespace troupe {

struct EvaluateVersions {
  FIELDS();
};

struct MeasuredVersion {
  Version version = 0;
  Version skipped = 0; ///< versions between it and the one measured before, which nobody measured
  double seconds = 0;  ///< since the first request, when it came
  std::vector<Metric> metrics;        ///< of the whole section
  std::vector<std::string> undefined; ///< of these, whose value is 0/0 and stands for nothing
  FIELDS(version, skipped, seconds, metrics, undefined);
};

struct VersionsEvaluated {
  Outcome outcome = Outcome::finished;
  std::string reason;
  bool unavailable = false; ///< it failed because the holder could not be reached
  std::uint64_t measured = 0;
  std::uint64_t skipped = 0;
  MeasuredVersion best; ///< that of the least loss, or of the least first metric; version 0: none
  MeasuredVersion last;
  FIELDS(outcome, reason, unavailable, measured, skipped, best, last);
};

/// The continuous evaluator to itself: a look at the workers and at the time.
struct CheckVersions {
  FIELDS();
};

using ContinuousEvaluator
  = caf::typed_actor<caf::replies_to<EvaluateVersions>::with<VersionsEvaluated>,
                     caf::reacts_to<Stop>>;

} // namespace troupe
