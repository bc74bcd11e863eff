#pragma once

#include "messages/parameters/parameters.hpp"

#include <optional>
#include <string>

namespace troupe {

struct QueueOptions {
  Version every = 1;        ///< measure after so many new versions; 1: always the newest
  double idle_limit = 0;    ///< seconds without a new version after which it ends; 0: never
  double leave_grace = 3;   ///< seconds without a worker that mean that all have left: after a
                            ///< restart of the holder, workers are back by then
  double return_limit = 60; ///< the same if workers were lost, or have not come yet
  double outage_limit = 60; ///< seconds without the holder
};

/// The decisions of a continuous evaluator: whether to measure the next version, how many were
/// skipped, and when evaluation ends. Times are seconds of one monotonic clock.
class EvaluationQueue {
public:
  struct End {
    Outcome outcome = Outcome::finished;
    std::string reason;
    bool unavailable = false;
  };

  explicit EvaluationQueue(QueueOptions options = {}) : options_(options) {}

  void begin(double now) { idle_since_ = now; }
  /// The holder has reported its status.
  void update(const HolderStatus& status, double now);
  /// The holder was asked, and did not answer.
  void unanswered(const std::string& why, double now);

  /// Whether to fetch a version newer than last(), as far as is known.
  bool due() const;
  /// Whether there is a version newer than last().
  bool unmeasured() const { return newest_ > last_; }
  bool reached() const { return reached_; }
  Version last() const { return last_; } ///< the version that was measured last; 0: none

  /// `version` is measured now, exactly once. @pre version > last()
  /// @returns how many versions since the last one were not measured.
  Version take(Version version);
  /// The measurement is done: wait for the next version from now on.
  void measured(double now) { idle_since_ = now; }

  /// Whether the workers have left; the grace may not be over yet.
  bool workers_gone() const { return reached_ && trained_ && empty_since_ && !expects_; }
  /// Whether evaluation ends, once the newest version is measured.
  std::optional<End> end(double now) const;

private:
  QueueOptions options_;
  std::optional<Version> first_; ///< when this began
  std::size_t known_ = 0;        ///< workers in the journal then
  Version newest_ = 0, last_ = 0;
  bool reached_ = false;
  bool trained_ = false; ///< a worker was seen
  bool expects_ = false; ///< workers were lost, are to come, or were there before
  double idle_since_ = 0;
  std::optional<double> empty_since_; ///< since when no worker trains
  std::optional<double> missed_since_;
  std::string why_missed_;
};

} // namespace troupe
