#include "troupe/apps/large_blocks.hpp"

#include <catch2/catch.hpp>
#include <malloc.h>

#include <cstdlib>
#include <memory>

#ifndef __SANITIZE_ADDRESS__ // which has a heap of its own

namespace {

/// Whether a block of so many MiB is memory of its own, instead of a part of the heap.
bool lies_alone(std::size_t mebibytes) {
  const auto before = mallinfo2().hblks;
  const std::unique_ptr<void, decltype(&std::free)> block{std::malloc(mebibytes << 20), &std::free};
  REQUIRE(block);
  return mallinfo2().hblks == before + 1;
}

} // namespace

TEST_CASE("large memory goes back to the system also after larger one has been freed",
          "[large_blocks]") {
  troupe::return_large_blocks();
  CHECK(lies_alone(24)); // the C library would put what is smaller into the heap from now on
  CHECK(lies_alone(4));
}

#endif
