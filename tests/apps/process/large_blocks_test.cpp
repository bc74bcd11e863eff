#include "apps/process/large_blocks.hpp"

#include <catch2/catch.hpp>
#include <malloc.h>

#include <cstdlib>
#include <memory>

namespace {

/// Whether a block of so many MiB is memory of its own, instead of a part of the heap.
bool lies_alone(std::size_t mebibytes) {
  const auto before = mallinfo2().hblks;
  const std::unique_ptr<void, decltype(&std::free)> block{std::malloc(mebibytes << 20), &std::free};
  REQUIRE(block);
  return mallinfo2().hblks == before + 1;
}

/// The C library never puts a block of that size into the heap; the sanitizers have heaps of their
/// own.
bool heap_is_the_c_librarys() { return lies_alone(64); }

} // namespace

TEST_CASE("large memory goes back to the system also after larger one has been freed",
          "[large_blocks]") {
  if (!heap_is_the_c_librarys()) {
    SUCCEED("this program's heap is another one");
    return;
  }
  troupe::return_large_blocks();
  CHECK(lies_alone(24)); // the C library would put what is smaller into the heap from now on
  CHECK(lies_alone(4));
}
