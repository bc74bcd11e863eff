#pragma once

#include "base/fields.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace troupe {

/// What a rate limit is a share of.
enum class RateOf : std::uint8_t {
  total, ///< of all time: sync where work >= E (1 - r) / r
  work, ///< of the time between syncs, as Legion computed it: sync where E < r work; r / (1 + r) of
        ///< all time
};

std::string to_string(RateOf of);
bool from_text(std::string_view text, RateOf& of); ///< false for an unknown word

struct RateLimitOptions {
  double maximum_rate = 1.0; ///< r, >= 0; 0 never syncs. With `of: total` <= 1
  RateOf of = RateOf::total;
  double decay = 0.2; ///< weight of the newest cost in the average E, in (0, 1]
  bool legion_warmup
    = false; ///< E starts at 0 instead of at the first cost: early syncs come too often
  FIELDS(maximum_rate, of, decay, legion_warmup);
};

/// Decides whether a worker may sync now, so that syncing takes at most a share of its time.
///
/// E is a decaying average of what a sync costs: E <- decay d + (1 - decay) E. Work is the time
/// since the end of the last sync. The first trigger syncs. Times are seconds of one monotonic
/// clock.
class RateLimit {
public:
  /// @throws std::invalid_argument for a rate or decay that cannot be.
  RateLimit(RateLimitOptions options, double now);

  bool may_sync(double now) const;
  /// A sync began at `begin` and has ended at `end`.
  void synced(double begin, double end);

  /// What it has learned, for a checkpoint; `restore` forgets nothing of it but the time since the
  /// last sync, which was another process's.
  struct State {
    double average = 0;
    std::uint64_t syncs = 0;
    double measured_seconds = 0, measured_cost = 0;
    FIELDS(average, syncs, measured_seconds, measured_cost);
  };
  State state() const;
  void restore(const State& state, double now);

  double average_cost() const { return average_; } ///< E
  std::uint64_t syncs() const { return syncs_; }
  /// Share of time spent on syncing since the end of the first `warm_up_syncs`, until the end of
  /// the last; nothing where there is none behind them.
  std::optional<double> measured_share() const;
  /// Left out of measured_share: the first, before which there is no work that earned it, or
  /// those that Legion's warm-up lets come too often.
  std::uint64_t warm_up_syncs() const { return options_.legion_warmup ? 10 : 1; }

private:
  RateLimitOptions options_;
  double last_end_;
  double average_ = 0;
  std::uint64_t syncs_ = 0;
  double measured_from_ = 0, measured_cost_ = 0;
};

} // namespace troupe
