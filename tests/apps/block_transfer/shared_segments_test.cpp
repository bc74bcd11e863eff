#include "apps/block_transfer/block_message.hpp"
#include "apps/block_transfer/shared_segments.hpp"
#include "base/failure.hpp"

#include <catch2/catch.hpp>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>

using namespace troupe;

namespace {

/// Two ends of a local connection.
struct Ends {
  Ends() {
    int both[2] = {};
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, both) == 0);
    here = BlockSocket{{Descriptor{both[0]}, {}, true, nullptr}};
    there = BlockSocket{{Descriptor{both[1]}, {}, true, nullptr}};
  }
  BlockSocket here, there;
};

/// Sender and receiver of blocks.
struct Connection {
  Ends ends;
  OfferedSegments offered;
  ReceivedSegments received;

  Block pass_on(const Block& block) {
    const auto reference = offered.offer(ends.here, block);
    REQUIRE(reference.id != 0);
    OfferedSegments::send(ends.here, reference, block);
    received.forget(reference.gone);
    return received.open(ends.there, reference, block.size());
  }
};

Block filled(Index size, float value) {
  auto block = Block::uninitialized(size);
  for (auto& element : block.edit())
    element = value;
  return block;
}

std::size_t mapped_pieces() {
  std::ifstream maps{"/proc/self/maps"};
  std::size_t count = 0;
  for (std::string line; std::getline(maps, line);)
    count += line.find("memfd:troupe") != std::string::npos ? 1 : 0;
  return count;
}

} // namespace

TEST_CASE("a block shared within the machine lives as long as a reader", "[L8]") {
  make_large_segments_shareable();
  Connection way;
  const auto received = way.pass_on(filled(500'000, 3));
  for (auto value : {4.0f, 5.0f, 6.0f})
    CHECK(way.pass_on(filled(1'000'000, value)).view().back() == value);
  CHECK(received.view().front() == 3);
}

TEST_CASE("segments freed by their owner are unmapped by the peer", "[L8][memory]") {
  make_large_segments_shareable();
  // Larger than the blocks that are kept for reuse, so that each block is a segment of its own.
  const auto size = static_cast<Index>(pool_limit / sizeof(float)) + 1;
  Connection way;
  way.pass_on(Block::uninitialized(size));
  const auto before = mapped_pieces();
  for (auto i = 0; i < 3; ++i)
    way.pass_on(Block::uninitialized(size));
  CHECK(mapped_pieces() == before);
}

TEST_CASE("memory that its owner could shrink is refused with a sentence", "[R14][R15]") {
  Ends ends;
  const auto unsealed = memfd_create("test", MFD_CLOEXEC);
  REQUIRE(ftruncate(unsealed, 4096) == 0);
  ends.here.write_descriptor(unsealed);
  close(unsealed);
  ReceivedSegments received;
  CHECK_THROWS_AS(received.open(ends.there, {7, 4096, true, {}}, 4), IoError);
  CHECK_THROWS_WITH(received.open(ends.there, {7, 4096, false, {}}, 4),
                    Catch::Contains("does not hold its block"));
}

TEST_CASE("a payload too short for its floats is refused before memory is allocated",
          "[R14][R15]") {
  const auto format = GENERATE(WireFormat::float32, WireFormat::bfloat16, WireFormat::int8);
  constexpr Index floats = 1 << 28;
  Ends ends;
  ends.here.write(std::vector<std::byte>(100));
  PayloadCodec codec;
  const auto before = aligned_traffic().taken;
  CHECK_THROWS_AS(codec.read(ends.there, format, 100, floats), IoError);
  CHECK(aligned_traffic().taken - before < floats);
}

TEST_CASE("a payload takes memory as it arrives, not as it is announced", "[R14][R15]") {
  Ends ends;
  ends.here.write(std::vector<std::byte>(100));
  ends.here.shut();
  PayloadCodec codec;
  const auto before = aligned_traffic().taken;
  CHECK_THROWS_WITH(codec.read(ends.there, WireFormat::bfloat16, std::size_t{1} << 30, 1 << 29),
                    Catch::Contains("the connection ended"));
  CHECK(aligned_traffic().taken - before < (1 << 29));
}
