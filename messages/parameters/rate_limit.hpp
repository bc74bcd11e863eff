#pragma once

#include "base/fields.hpp"
#include "base/text/enum_names.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace troupe {

/// The time of which a rate limit is a share.
enum class RateOf : std::uint8_t {
  total, ///< total time: sync if work >= E (1 - r) / r
  work,  ///< time between syncs, as Legion computed it: sync if E < r work; at most r / (1 + r) of
         ///< the total time
};
/// How configurations write the values.
constexpr auto enum_names(RateOf) { return name_list("total", "work"); }

/// How much of its time a worker may spend on syncing.
struct RateLimitOptions {
  double maximum_rate = 1.0;  ///< r, >= 0; 0 never syncs. With `of: total` <= 1
  RateOf of = RateOf::total;  ///< what the share is taken of
  double decay = 0.2;         ///< weight of the newest cost in the average E, in (0, 1]
  bool legion_warmup = false; ///< E starts at 0, not at the first cost: early syncs are frequent
  TROUPE_FIELDS(maximum_rate, of, decay, legion_warmup);
};

/// Decides whether a worker may sync now, so that syncing takes at most a given share of its time.
///
/// E is a decaying average of the cost of a sync: E <- decay d + (1 - decay) E. Work is the time
/// since the end of the last sync. The first trigger always syncs. Times are seconds of one
/// monotonic clock.
class RateLimit {
public:
  /// @throws std::invalid_argument for an invalid rate or decay.
  RateLimit(RateLimitOptions options, double now);

  /// @param now seconds, not before the end of the last sync
  bool may_sync(double now) const;
  /// A sync began at `begin` and ended at `end`.
  void synced(double begin, double end);

  /// The learned state, for a checkpoint. `restore` keeps all of it except the time since the last
  /// sync, which belongs to another process.
  struct State {
    double average = 0;      ///< E, in seconds
    std::uint64_t syncs = 0; ///< that were made
    /// For measured_share: of it, seconds spent on syncing
    double measured_seconds = 0, measured_cost = 0; ///< for measured_share: the time
    TROUPE_FIELDS(average, syncs, measured_seconds, measured_cost);
  };
  /// For a checkpoint.
  State state() const;
  /// @param now the time from which work counts
  void restore(const State& state, double now);

  double average_cost() const { return average_; } ///< E
  /// How many were made, those of a restored state included.
  std::uint64_t syncs() const { return syncs_; }
  /// Share of time spent on syncing from the end of the first `warm_up_syncs` to the end of the
  /// last; nothing if there are no more.
  std::optional<double> measured_share() const;
  /// Excluded from measured_share: the first sync, which no work preceded, or those that Legion's
  /// warm-up makes too frequent.
  std::uint64_t warm_up_syncs() const { return options_.legion_warmup ? 10 : 1; }

private:
  RateLimitOptions options_;
  double last_end_;
  double average_ = 0;
  std::uint64_t syncs_ = 0;
  double measured_from_ = 0, measured_cost_ = 0;
};

} // namespace troupe
