#pragma once

#include "base/fields.hpp"

namespace troupe {

struct TokenBucketOptions {
  double per_second = 0; ///< tokens that come in, >= 0; 0: no limit
  double burst = 1;      ///< tokens that it holds, >= 1: so many in a row after a rest
  FIELDS(per_second, burst);
};

/// Lets something happen at most `per_second` times a second on the average, and `burst` times in a
/// row: each time takes a token, and one that is full loses what comes in. It begins full. Times
/// are seconds of one monotonic clock.
///
/// Turner, "New directions in communications (or which way to the information age?)", 1986.
class TokenBucket {
public:
  /// @throws std::invalid_argument for a rate or a burst that cannot be.
  TokenBucket(TokenBucketOptions options, double now);

  bool may_take(double now) const;
  void take(double now);

  /// For a checkpoint; the time in between, which was another process's, brings no tokens.
  struct State {
    double tokens = 0;
    FIELDS(tokens);
  };
  State state(double now) const { return {tokens(now)}; }
  void restore(const State& state, double now);

private:
  double tokens(double now) const;

  TokenBucketOptions options_;
  double tokens_, counted_at_;
};

} // namespace troupe
