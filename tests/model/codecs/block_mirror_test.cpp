#include "model/codecs/block_mirror.hpp"
#include "tests/support/wire.hpp"

#include <algorithm>
#include <cmath>

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

namespace {

Block block_with(const Floats& values) { return Block::copy_of(values); }

/// A sender, and what its messages make of the receiver's mirror.
struct MirrorPair {
  BlockMirror sender, receiver;
  Bytes message;

  explicit MirrorPair(const Block& known) : sender(known), receiver(known) {}

  void send(const WireOptions& options, const Block& values) {
    REQUIRE(sender.encode(options, values, message).empty());
    REQUIRE(message.size() == encoded_size(options, values.view().size()));
    receiver.add(decoded(options.format, message, values.view().size()));
  }
};

double mirror_distance(const Block& a, const Block& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.view().size(); ++i)
    worst = std::max(worst, std::abs(double{a.view()[i]} - double{b.view()[i]}));
  return worst;
}

} // namespace

TEST_CASE("both ends of a mirror have the same bits, whatever is sent", "[wire]") {
  constexpr std::size_t n = 300;
  for (const auto& options : one_of_each()) {
    MirrorPair pair{block_with(normal_numbers(n))};
    for (std::uint64_t round = 0; round < 50; ++round) {
      pair.send(options, block_with(normal_numbers(n, round)));
      REQUIRE(pair.sender.block() == pair.receiver.block());
    }
  }
}

TEST_CASE("a mirror converges to values that rest", "[wire]") {
  constexpr std::size_t n = 300;
  const auto values = block_with(normal_numbers(n, 2));
  for (const auto& options : one_of_each()) {
    MirrorPair pair{block_with(normal_numbers(n, 1))};
    const auto at_first = mirror_distance(pair.receiver.block(), values);
    for (int round = 0; round < 6; ++round)
      pair.send(options, values);
    INFO(to_string(options.format));
    CHECK(mirror_distance(pair.receiver.block(), values) < 1e-4 * at_first);
  }
}

TEST_CASE("a mirror of moving values stays near them", "[wire]") {
  constexpr std::size_t n = 300;
  for (const auto& options : one_of_each()) {
    auto values = normal_numbers(n, 1);
    MirrorPair pair{block_with(values)};
    double worst = 0;
    for (std::uint64_t round = 0; round < 200; ++round) {
      const auto steps = normal_numbers(n, 100 + round, 0.01);
      for (std::size_t i = 0; i < n; ++i)
        values[i] += steps[i];
      pair.send(options, block_with(values));
      worst = std::max(worst, mirror_distance(pair.receiver.block(), block_with(values)));
    }
    INFO(to_string(options.format));
    CHECK(worst < 0.2); // 200 steps that were never sent would be 0.5
  }
}

TEST_CASE("a mirror that cannot be moved stays as it is", "[wire]") {
  const auto known = block_with({1, 2, 3});
  BlockMirror mirror{known};
  Bytes out;
  CHECK_THAT(mirror.encode({.format = WireFormat::int8}, block_with({1, 2}), out),
             Contains("2 elements") && Contains("3"));
  CHECK_FALSE(
    mirror.encode({.format = WireFormat::top_k}, block_with({1, not_a_number, 3}), out).empty());
  CHECK(out.empty());
  CHECK(mirror.block() == known);
}

TEST_CASE("moving a mirror does not change the block that it began with", "[wire]") {
  const auto known = block_with({1, 2, 3});
  BlockMirror mirror{known};
  Bytes out;
  REQUIRE(mirror.encode({.format = WireFormat::float32}, block_with({4, 4, 4}), out).empty());
  CHECK(mirror.block() == block_with({4, 4, 4}));
  CHECK(known == block_with({1, 2, 3}));
}
