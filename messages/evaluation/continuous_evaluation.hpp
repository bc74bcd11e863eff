// Continuous evaluation: the newest parameters of a cluster are measured repeatedly while other
// processes train.
//
//   anyone                  continuous evaluator          holder, evaluator, logger
//     | - EvaluateVersions --> |                                      |
//     |                        | -- Join, read only ---------------> |
//     |                        | -- Await --------------------------> |   newer than the last
//     |                        | <---------------------- Parameters - |
//     |                        | -- Evaluate, then Write -----------> |   each version once
//     | - Stop --------------> |                                      |
//     | <- VersionsEvaluated - | -- Leave --------------------------> |
//
// It ends when the workers have left, after it has measured the final version; when no new version
// has come for too long; when the holder is unreachable for too long; and on request:
// StopLevel::after_epoch after the newest version, any other level at once.
#pragma once

#include "messages/evaluation/evaluation.hpp"

namespace troupe {

/// Begins; the answer comes when it ends.
struct EvaluateVersions {
  TROUPE_FIELDS();
};

/// What was measured of one version.
struct MeasuredVersion {
  Version version = 0;         ///< of the parameters
  Version skipped = 0;         ///< versions since the one measured before that were not measured
  double seconds = 0;          ///< since the first request, when it came
  std::vector<Metric> metrics; ///< of the whole section
  std::vector<std::string> undefined; ///< metrics that are 0/0: their value means nothing
  TROUPE_FIELDS(version, skipped, seconds, metrics, undefined);
};

/// How continuous evaluation ended.
struct VersionsEvaluated {
  Outcome outcome = Outcome::finished; ///< `interrupted` where it was stopped from outside
  std::string reason;                  ///< why it ended, as a sentence
  bool unavailable = false;            ///< it failed because the holder could not be reached
  std::uint64_t measured = 0;          ///< versions that were measured
  std::uint64_t skipped = 0;           ///< versions that came and went in between
  MeasuredVersion best; ///< the one with the least loss, or least first metric; version 0: none
  MeasuredVersion last; ///< the newest; version 0: none
  TROUPE_FIELDS(outcome, reason, unavailable, measured, skipped, best, last);
};

/// A timer of the continuous evaluator: check the workers and the time.
struct CheckVersions {
  TROUPE_FIELDS();
};

/// Measures each new version (actors/evaluation/continuous_evaluator.hpp).
using ContinuousEvaluator
  = caf::typed_actor<caf::replies_to<EvaluateVersions>::with<VersionsEvaluated>,
                     caf::reacts_to<Stop>>;

} // namespace troupe
