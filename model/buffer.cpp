#include "troupe/model/buffer.hpp"

#include "troupe/model/shared_memory.hpp"

#include <sys/mman.h>

#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>

namespace troupe {

namespace {

constexpr std::size_t alignment = 64;
constexpr std::size_t pooled_from = std::size_t{1} << 19; // bytes; below it malloc is as fast

// Rows taken at random from a table of pages of 4 KB wait for the page's address as long as for the
// row: 15.7 us for 32 rows of 784 floats among 60,000, 12.6 us with pages of 2 MB. Below some of
// these pages what they round up weighs more.
constexpr std::size_t huge_page = std::size_t{1} << 21;
constexpr std::size_t huge_from = 4 * huge_page;

std::size_t rounded(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

/// Freed pieces by size. Never destroyed, because statics may free buffers after it.
struct Pool {
  std::mutex mutex;
  std::multimap<std::size_t, void*> pieces;
  std::size_t kept = 0;

  static Pool& instance() {
    static Pool* pool = new Pool;
    return *pool;
  }
};

std::atomic<std::uint64_t> bytes_taken{0}, bytes_returned{0};

void* taken(void* memory, std::size_t size) {
  bytes_taken.fetch_add(size, std::memory_order_relaxed);
  return memory;
}

/// Memory of the program's own; null where there is none.
void* allocate_private(std::size_t size) {
  if (size < huge_from)
    return std::aligned_alloc(alignment, size);
  auto* memory = std::aligned_alloc(huge_page, (size + huge_page - 1) / huge_page * huge_page);
  if (memory != nullptr)
    madvise(memory, size, MADV_HUGEPAGE); // a wish: where it is not granted, small pages do
  return memory;
}

} // namespace

AlignedTraffic aligned_traffic() {
  const auto returned = bytes_returned.load(); // first: what is in use is never below nothing
  return {bytes_taken.load(), returned};
}

void* allocate_aligned(std::size_t bytes) {
  const auto size = rounded(bytes == 0 ? 1 : bytes);
  if (size >= pooled_from) {
    auto& pool = Pool::instance();
    std::lock_guard lock{pool.mutex};
    if (auto found = pool.pieces.find(size); found != pool.pieces.end()) {
      auto* memory = found->second;
      pool.pieces.erase(found);
      pool.kept -= size;
      return taken(memory, size);
    }
  }
  if (size >= pooled_from)
    if (auto* memory = allocate_shareable(size))
      return taken(memory, size);
  if (auto* memory = allocate_private(size))
    return taken(memory, size);
  throw std::bad_alloc{};
}

void free_aligned(void* memory, std::size_t bytes) noexcept {
  const auto size = rounded(bytes == 0 ? 1 : bytes);
  if (memory != nullptr)
    bytes_returned.fetch_add(size, std::memory_order_relaxed);
  if (memory != nullptr && size >= pooled_from) {
    auto& pool = Pool::instance();
    std::lock_guard lock{pool.mutex};
    if (pool.kept + size <= pool_limit) {
      try {
        pool.pieces.emplace(size, memory);
        pool.kept += size;
        return;
      } catch (const std::bad_alloc&) {
        // no room for the book-keeping: give the piece back instead
      }
    }
  }
  if (size < pooled_from || !free_shareable(memory))
    std::free(memory);
}

} // namespace troupe
