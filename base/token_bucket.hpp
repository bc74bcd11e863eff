#pragma once

#include "base/fields.hpp"

namespace troupe {

struct TokenBucketOptions {
  double per_second = 0; ///< tokens added per second, >= 0; 0: no limit
  double burst = 1;      ///< capacity, >= 1: so many in a row after a rest
  TROUPE_FIELDS(per_second, burst);
};

/// Limits events to `per_second` times a second on average and `burst` times in a row: each event
/// takes a token, and a full bucket drops new tokens. It starts full. Times are seconds of one
/// monotonic clock.
///
/// Turner, "New directions in communications (or which way to the information age?)", 1986.
class TokenBucket {
public:
  /// @throws std::invalid_argument for an invalid rate or burst
  TokenBucket(TokenBucketOptions options, double now);

  bool may_take(double now) const;
  void take(double now);

  /// For a checkpoint; the time between saving and restoring adds no tokens.
  struct State {
    double tokens = 0;
    TROUPE_FIELDS(tokens);
  };
  State state(double now) const { return {tokens(now)}; }
  void restore(const State& state, double now);

private:
  double tokens(double now) const;

  TokenBucketOptions options_;
  double tokens_, counted_at_;
};

} // namespace troupe
