// Every message is sent unchanged, and everything else that arrives is refused.
#include "tests/support/every_message.hpp"

#include <random>

using namespace troupe;
using namespace troupe::test;

namespace {

/// A length on the wire: seven bits in each byte, low ones first.
WireBytes length(std::uint64_t n) {
  WireBytes bytes;
  for (; n > 0x7f; n >>= 7)
    bytes.push_back(static_cast<char>((n & 0x7f) | 0x80));
  bytes.push_back(static_cast<char>(n));
  return bytes;
}

} // namespace

TEST_CASE("every message is sent unchanged", "[wire]") {
  DeterministicSystem world;
  const auto samples = sample_messages(world);
  CHECK(samples.size() == 104);
  for (const auto& sample : samples) {
    INFO(to_string(*sample.value));
    auto received = sample.blank->copy();
    REQUIRE_FALSE(read_bytes(world, written(world, *sample.value), *received));
    CHECK(sample.equal(*received, *sample.value));
  }
}

TEST_CASE("every message with default values is sent unchanged", "[wire]") {
  DeterministicSystem world;
  for (const auto& sample : sample_messages(world)) {
    INFO(to_string(*sample.value));
    auto received = sample.value->copy();
    REQUIRE_FALSE(read_bytes(world, written(world, *sample.blank), *received));
    CHECK(sample.equal(*received, *sample.blank));
  }
}

TEST_CASE("a truncated message is refused, wherever it was cut", "[wire]") {
  DeterministicSystem world;
  for (const auto& sample : sample_messages(world)) {
    const auto whole = written(world, *sample.value);
    INFO(to_string(*sample.value));
    for (std::size_t length = 0; length < whole.size(); ++length) {
      auto received = sample.blank->copy();
      if (!read_bytes(world,
                      WireBytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)),
                      *received))
        FAIL("it was read from " << length << " of " << whole.size() << " bytes");
    }
  }
}

TEST_CASE("a message with wrong bytes is read or refused, without harm", "[wire]") {
  DeterministicSystem world;
  std::mt19937 random{1};
  for (const auto& sample : sample_messages(world)) {
    const auto whole = written(world, *sample.value);
    for (std::size_t place = 0; place < whole.size(); ++place)
      for (auto wrong : {0x00, 0x01, 0x7f, 0x80, 0xff, static_cast<int>(random() % 256)}) {
        auto bytes = whole;
        bytes[place] = static_cast<char>(wrong);
        auto received = sample.blank->copy();
        read_bytes(world, bytes, *received);
      }
  }
}

TEST_CASE("a block that claims more than its message contains allocates nothing", "[wire]") {
  DeterministicSystem world;
  const auto shift = GENERATE(3, 28, 29, 31, 40, 61, 62, 63);
  auto bytes = length(std::uint64_t{1} << shift);
  bytes.resize(bytes.size() + 28); // seven floats
  Block block;
  CHECK(read_bytes(world, bytes, block));
  CHECK(block.empty());
}

TEST_CASE("lists and texts that claim more than their message contains are refused", "[wire]") {
  DeterministicSystem world;
  const auto claimed = GENERATE(100u, 1u << 30, ~0u);
  auto bytes = length(std::uint64_t{claimed} << 20);
  bytes.resize(bytes.size() + 64);
  Rows rows;
  CHECK(read_bytes(world, bytes, rows));
  Selection selection;
  CHECK(read_bytes(world, bytes, selection));
  Set set;
  CHECK(read_bytes(world, bytes, set));
}

TEST_CASE("a block may be empty, and contain any bits", "[wire]") {
  DeterministicSystem world;
  auto received = Block{3};
  REQUIRE_FALSE(read_bytes(world, written(world, Block{}), received));
  CHECK(received.empty());
}

TEST_CASE("a schedule or value of unknown kind is refused", "[wire]") {
  DeterministicSystem world;
  Schedule schedule;
  CHECK(read_bytes(world, written(world, std::string{"each(-1 batches)"}), schedule));
  CHECK(read_bytes(world, written(world, std::string{"each(1e999 batches)"}), schedule));
  Value value;
  CHECK(read_bytes(world, WireBytes{4, 0, 0, 0, 0, 0, 0, 0, 0}, value));
}
