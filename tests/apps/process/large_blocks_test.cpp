#include "apps/process/large_blocks.hpp"

#include <catch2/catch.hpp>
#include <malloc.h>

#include <cstdlib>
#include <memory>

namespace {

/// Whether a block of this many MiB is a mapping of its own instead of a part of the heap.
bool lies_alone(std::size_t mebibytes) {
  const auto before = mallinfo2().hblks;
  const std::unique_ptr<void, decltype(&std::free)> block{std::malloc(mebibytes << 20), &std::free};
  REQUIRE(block);
  return mallinfo2().hblks == before + 1;
}

/// The C library never puts a block of that size into the heap; sanitizers have their own heaps.
bool heap_is_the_c_librarys() { return lies_alone(64); }

} // namespace

TEST_CASE("large blocks return to the system, even after a larger one was freed",
          "[large_blocks]") {
  if (!heap_is_the_c_librarys()) {
    SUCCEED("this program does not use the C library's heap");
    return;
  }
  troupe::return_large_blocks();
  CHECK(lies_alone(24)); // by default the C library would now put smaller blocks into the heap
  CHECK(lies_alone(4));
}
