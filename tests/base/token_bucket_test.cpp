#include "base/token_bucket.hpp"

#include <catch2/catch.hpp>

#include <random>
#include <vector>

using namespace troupe;

namespace {

/// The times, of those asked for, at which tokens were available.
std::vector<double> times_taken(TokenBucket& bucket, const std::vector<double>& asked) {
  std::vector<double> taken;
  for (auto time : asked)
    if (bucket.may_take(time)) {
      bucket.take(time);
      taken.push_back(time);
    }
  return taken;
}

} // namespace

TEST_CASE("within any time no more tokens are taken than the burst and those added",
          "[token_bucket][L14]") {
  const auto seed = GENERATE(range(1u, 6u));
  std::mt19937 random{seed};
  std::exponential_distribution<double> pause{20};
  std::vector<double> asked{0};
  for (auto i = 0; i < 400; ++i)
    asked.push_back(asked.back() + pause(random));
  const TokenBucketOptions options{.per_second = 3, .burst = 1.0 + seed};
  TokenBucket bucket{options, 0};
  const auto taken = times_taken(bucket, asked);
  for (std::size_t first = 0; first < taken.size(); ++first)
    for (auto last = first; last < taken.size(); ++last)
      REQUIRE(static_cast<double>(last - first + 1)
              <= options.burst + options.per_second * (taken[last] - taken[first]) + 1e-6);
  CHECK(static_cast<double>(taken.size()) > options.per_second * asked.back() * 0.8);
}

TEST_CASE("a bucket without a rate sets no limit", "[token_bucket][L14]") {
  TokenBucket bucket{{}, 0};
  CHECK(times_taken(bucket, {0, 0, 0, 0}).size() == 4);
}

TEST_CASE("ten tenths of a second add a whole token", "[token_bucket][L14]") {
  TokenBucket bucket{{.per_second = 1, .burst = 1}, 0};
  bucket.take(0);
  double time = 0;
  for (auto i = 0; i < 10; ++i)
    time += 0.1;
  CHECK(bucket.may_take(time));
}

TEST_CASE("after a long rest there is one burst and no more", "[token_bucket][L14]") {
  TokenBucket bucket{{.per_second = 1, .burst = 2}, 0};
  CHECK(times_taken(bucket, {1000, 1000, 1000, 1000}).size() == 2);
}

TEST_CASE("a bucket restored from its state has the tokens that it had",
          "[token_bucket][L14][B36]") {
  const TokenBucketOptions options{.per_second = 0.5, .burst = 2};
  TokenBucket bucket{options, 0};
  bucket.take(0);
  bucket.take(0);
  TokenBucket other{options, 1000};
  other.restore(bucket.state(1), 1000); // half a token
  CHECK_FALSE(other.may_take(1000.9));
  CHECK(other.may_take(1001));
}
