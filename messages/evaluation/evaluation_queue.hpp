#pragma once

#include "messages/parameters/parameters.hpp"

#include <optional>
#include <string>

namespace troupe {

struct QueueOptions {
  Version every = 1;        ///< measure after so many new versions; 1: the newest, always
  double idle_limit = 0;    ///< seconds without a new version after which it ends; 0: never
  double leave_grace = 3;   ///< seconds without a worker that mean that all have left: one whose
                            ///< holder was started anew is back by then
  double return_limit = 60; ///< the same where workers were lost, or have not come yet
  double outage_limit = 60; ///< seconds without the holder
};

/// What a continuous evaluator decides: whether to measure the next version, how many were left
/// out, and when all is over. Times are seconds of one monotonic clock.
class EvaluationQueue {
public:
  struct End {
    Outcome outcome = Outcome::finished;
    std::string reason;
    bool unavailable = false;
  };

  explicit EvaluationQueue(QueueOptions options = {}) : options_(options) {}

  void begin(double now) { idle_since_ = now; }
  /// What the holder tells of itself.
  void hear(const HolderStatus& status, double now);
  /// The holder was asked, and did not answer.
  void miss(const std::string& why, double now);

  /// Whether to fetch what is newer than last(), as far as is known.
  bool due() const;
  /// Whether there is something newer than last().
  bool unmeasured() const { return newest_ > last_; }
  bool reached() const { return reached_; }
  Version last() const { return last_; } ///< the version that was measured last; 0: none

  /// `version` is measured now, once and for all. @pre version > last()
  /// @returns how many versions between it and the last one nobody has measured.
  Version take(Version version);
  /// It was measured: from now on the next one is waited for.
  void rest(double now) { idle_since_ = now; }

  /// Whether those who trained have left; the grace is not over yet.
  bool workers_gone() const { return reached_ && trained_ && empty_since_ && !expects_; }
  /// Whether all is over, once what is unmeasured is measured.
  std::optional<End> end(double now) const;

private:
  QueueOptions options_;
  std::optional<Version> first_; ///< when this began
  std::size_t known_ = 0;        ///< workers in the journal then
  Version newest_ = 0, last_ = 0;
  bool reached_ = false;
  bool trained_ = false; ///< a worker was seen
  bool expects_ = false; ///< workers that were lost, are to come, or were there before
  double idle_since_ = 0;
  std::optional<double> empty_since_; ///< since when nobody trains
  std::optional<double> missed_since_;
  std::string why_missed_;
};

} // namespace troupe
