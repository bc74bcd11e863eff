#include "messages/cluster/simulated_network.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

using namespace troupe;
using Catch::Contains;

namespace {

constexpr std::size_t block = 1'000'000; // bytes

/// A link of 1 MB/s and messages that take 10 ms.
SimulatedNetworkOptions slow() {
  return {.latency = 0.01, .jitter = 0, .bandwidth = 1e6, .loss = 0};
}

SimulatedNetwork network(const SimulatedNetworkOptions& options, std::vector<Outage> outages = {},
                         std::uint64_t seed = 1) {
  return {options, 4, std::move(outages), RandomKey{seed}};
}

} // namespace

TEST_CASE("a small message takes the latency, whatever else is on the link", "[R9]") {
  auto net = network(slow());
  CHECK(net.arrival(0, 3, block, 5) == Approx(6.01));
  CHECK(net.arrival(0, 3, 200, 5) == Approx(5.01));
}

TEST_CASE("a block takes its bytes over the bandwidth, and occupies both links meanwhile", "[R9]") {
  auto net = network(slow());
  CHECK(net.arrival(0, 3, block, 0) == Approx(1.01));
  CHECK(net.arrival(1, 3, block, 0) == Approx(2.01)); // to the same receiver
  CHECK(net.arrival(0, 2, block, 0) == Approx(2.01)); // from the same sender
  CHECK(net.arrival(3, 1, block, 0) == Approx(1.01)); // the other direction
}

TEST_CASE("with unlimited bandwidth a block is as fast as a small message", "[R9]") {
  auto options = slow();
  options.bandwidth = std::numeric_limits<double>::infinity();
  auto net = network(options);
  CHECK(net.arrival(0, 3, block, 2) == Approx(2.01));
}

TEST_CASE("messages of the same kind stay in order despite jitter", "[R9]") {
  auto options = slow();
  options.jitter = 0.5;
  options.loss = 0.2;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    auto net = network(options, {}, seed);
    double small = 0, large = 0;
    for (auto i = 0; i < 40; ++i) {
      const auto now = 0.01 * i;
      const auto next_small = *net.arrival(0, 3, 200, now),
                 next_large = *net.arrival(0, 3, 2000, now);
      CHECK(next_small >= std::max(small, now + options.latency));
      CHECK(next_large >= std::max(large, now + options.latency));
      small = next_small;
      large = next_large;
    }
  }
}

TEST_CASE("equal keys give equal draws, and different keys different ones", "[R10]") {
  auto options = slow();
  options.jitter = 1;
  const auto times = [&](std::uint64_t seed) {
    auto net = network(options, {}, seed);
    std::vector<double> all;
    for (auto i = 0; i < 10; ++i)
      all.push_back(*net.arrival(0, 3, 200, i));
    return all;
  };
  CHECK(times(1) == times(1));
  CHECK(times(1) != times(2));
}

TEST_CASE("a loss costs the time after which TCP sends again, 0.2 s and then twice as long",
          "[R9]") {
  auto options = slow();
  options.loss = 0.5;
  const auto lost = [&](int times) { return 0.2 * (std::pow(2, times) - 1); };
  std::array<int, 3> seen{};
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto late = *network(options, {}, seed).arrival(0, 3, 200, 0) - options.latency;
    const auto times = std::lround(std::log2(late / 0.2 + 1));
    CHECK(late == Approx(lost(static_cast<int>(times))).margin(1e-9));
    if (times < 3)
      ++seen[static_cast<std::size_t>(times)];
  }
  CHECK(seen[0] > 70); // of 200 about 100, 50 and 25
  CHECK(seen[1] > 25);
  CHECK(seen[2] > 8);
}

TEST_CASE("an outage drops messages in flight when it begins, and those sent during it", "[R8]") {
  const std::vector<Outage> outages{{1, 10, 20}};
  const auto arrives = [&](std::size_t from, std::size_t to, std::size_t bytes, double now) {
    return network(slow(), outages).arrival(from, to, bytes, now).has_value();
  };
  CHECK(arrives(1, 3, 200, 9.9));
  CHECK_FALSE(arrives(1, 3, block, 9.9));
  CHECK_FALSE(arrives(3, 1, 200, 10));
  CHECK_FALSE(arrives(1, 3, 200, 19.9));
  CHECK(arrives(1, 3, 200, 20));
  CHECK(arrives(0, 3, 200, 15));
  const auto net = network(slow(), outages);
  CHECK(net.connects(1, 3, 9.9));
  CHECK_FALSE(net.connects(3, 1, 10));
  CHECK(net.connects(1, 3, 20));
  CHECK(net.next_outage(1, 3, 3) == 10);
  CHECK_FALSE(net.next_outage(1, 3, 10));
  CHECK_FALSE(net.next_outage(0, 3, 3));
}

TEST_CASE("messages dropped by an outage delay nothing after it", "[R8]") {
  auto net = network(slow(), {{1, 10, 20}});
  CHECK_FALSE(net.arrival(1, 3, 50 * block, 9.9)); // it would arrive at 59.91
  CHECK(net.arrival(0, 3, block, 10) == Approx(11.01));
  CHECK(net.arrival(1, 3, block, 20) == Approx(21.01));
}

TEST_CASE("an invalid network is refused with a sentence", "[R9]") {
  const auto nan = std::nan("");
  CHECK(defect({}).empty());
  CHECK_THAT(defect({.latency = -1}), Contains("latency"));
  CHECK_THAT(defect({.jitter = nan}), Contains("jitter"));
  CHECK_THAT(defect({.bandwidth = 0}), Contains("bandwidth"));
  CHECK_THAT(defect({.bandwidth = nan}), Contains("bandwidth"));
  CHECK_THAT(defect({.loss = 1}), Contains("loss"));
}
