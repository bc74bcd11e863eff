#include "base/token_bucket.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace troupe {

namespace {

constexpr double almost_one = 1 - 1e-9; // sums of many short times are not exact

} // namespace

TokenBucket::TokenBucket(TokenBucketOptions options, double now)
  : options_(options),
    tokens_(options.burst),
    counted_at_(now) {
  if (!(options.per_second >= 0) || std::isinf(options.per_second))
    throw std::invalid_argument("per_second is " + std::to_string(options.per_second)
                                + "; give 0 or more syncs, where 0 means no limit");
  if (!(options.burst >= 1) || std::isinf(options.burst))
    throw std::invalid_argument("burst is " + std::to_string(options.burst)
                                + "; give 1 or more syncs");
}

double TokenBucket::tokens(double now) const {
  return std::min(options_.burst, tokens_ + options_.per_second * (now - counted_at_));
}

bool TokenBucket::may_take(double now) const {
  return options_.per_second == 0 || tokens(now) >= almost_one;
}

void TokenBucket::take(double now) {
  tokens_ = std::max(0.0, tokens(now) - 1);
  counted_at_ = now;
}

void TokenBucket::restore(const State& state, double now) {
  tokens_ = std::clamp(state.tokens, 0.0, options_.burst);
  counted_at_ = now;
}

} // namespace troupe
