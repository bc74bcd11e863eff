#include "model/tensor/buffer.hpp"

#include "model/tensor/shared_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>
#if __has_include(<sanitizer/asan_interface.h>)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(memory, size) static_cast<void>(0)
#define ASAN_UNPOISON_MEMORY_REGION(memory, size) static_cast<void>(0)
#endif

#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>

namespace troupe {

namespace {

constexpr std::size_t alignment = 64;
constexpr std::size_t pooled_from = std::size_t{1} << 12; // bytes
constexpr std::size_t large_from = std::size_t{1} << 19;
constexpr std::size_t small_pool_limit = std::size_t{1} << 24;

// Random rows in 4 KB pages wait for the page's address as long as for the row itself; 2 MB pages
// are a fifth faster. For less than a few of these pages rounding up costs more.
constexpr std::size_t huge_page = std::size_t{1} << 21;
constexpr std::size_t huge_from = 4 * huge_page;

std::size_t rounded(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

/// Freed pieces by size.
class Pool {
public:
  explicit Pool(std::size_t limit) : limit_(limit) {}

  /// @returns nullptr if there is none of that size. The piece freed last comes first: code that
  ///          makes the same things in the same order again then writes to memory that is mapped
  ///          already.
  void* take(std::size_t size) {
    const std::lock_guard lock{mutex_};
    auto found = pieces_.upper_bound(size);
    if (found == pieces_.begin() || (--found)->first != size)
      return nullptr;
    auto* memory = found->second;
    pieces_.erase(found);
    kept_ -= size;
    ASAN_UNPOISON_MEMORY_REGION(memory, size);
    return memory;
  }

  /// @returns false if there is no room for it
  bool keep(void* memory, std::size_t size) noexcept {
    const std::lock_guard lock{mutex_};
    if (kept_ + size > limit_)
      return false;
    try {
      pieces_.emplace(size, memory);
    } catch (const std::bad_alloc&) { // no memory for the pool's own table
      return false;
    }
    kept_ += size;
    ASAN_POISON_MEMORY_REGION(memory, size); // using it now would be a use after free
    return true;
  }

private:
  const std::size_t limit_;
  std::mutex mutex_;
  std::multimap<std::size_t, void*> pieces_;
  std::size_t kept_ = 0;
};

// Separate pools, so that private memory does not evict shared memory, nor small pieces of sizes
// that never return large ones. Never destroyed, because statics may free buffers after them.
Pool& private_pool(std::size_t size) {
  static auto* small_pool = new Pool{small_pool_limit};
  static auto* large_pool = new Pool{pool_limit};
  return size < large_from ? *small_pool : *large_pool;
}

Pool& shareable_pool() {
  static auto* pool = new Pool{pool_limit};
  return *pool;
}

std::atomic<std::uint64_t> bytes_taken{0}, bytes_returned{0};

void* taken(void* memory, std::size_t size) {
  bytes_taken.fetch_add(size, std::memory_order_relaxed);
  return memory;
}

/// Private memory; null if there is none.
void* allocate_private(std::size_t size) {
  if (size < huge_from)
    return std::aligned_alloc(alignment, size);
  auto* memory = std::aligned_alloc(huge_page, (size + huge_page - 1) / huge_page * huge_page);
  if (memory != nullptr)
    madvise(memory, size, MADV_HUGEPAGE); // a hint: without huge pages, small ones do
  return memory;
}

} // namespace

AlignedTraffic aligned_traffic() {
  const auto returned = bytes_returned.load(); // read first, so that the difference is never
                                               // negative
  return {bytes_taken.load(), returned};
}

void* allocate_aligned(std::size_t bytes) {
  const auto size = rounded(bytes == 0 ? 1 : bytes);
  if (size >= pooled_from)
    if (auto* memory = private_pool(size).take(size))
      return taken(memory, size);
  if (auto* memory = allocate_private(size))
    return taken(memory, size);
  throw std::bad_alloc{};
}

void* allocate_aligned_shareable(std::size_t bytes) {
  const auto size = rounded(bytes);
  if (size < large_from)
    return allocate_aligned(bytes);
  if (auto* memory = shareable_pool().take(size))
    return taken(memory, size);
  if (auto* memory = allocate_shareable(size))
    return taken(memory, size);
  return allocate_aligned(bytes);
}

void release_pages(std::span<float> numbers) noexcept {
  static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(numbers.data());
  const auto first = (begin + page - 1) / page * page,
             end = (begin + numbers.size_bytes()) / page * page;
  if (first < end) // private memory; a system that refuses keeps the pages
    madvise(reinterpret_cast<void*>(first), end - first, MADV_DONTNEED);
}

void free_aligned(void* memory, std::size_t bytes) noexcept {
  if (memory == nullptr)
    return;
  const auto size = rounded(bytes == 0 ? 1 : bytes);
  bytes_returned.fetch_add(size, std::memory_order_relaxed);
  if (size < pooled_from)
    return std::free(memory);
  auto& pool
    = size >= large_from && shared_segment_at(memory) ? shareable_pool() : private_pool(size);
  if (!pool.keep(memory, size) && !free_shareable(memory))
    std::free(memory);
}

} // namespace troupe

template class std::vector<float, troupe::AlignedAllocator<float>>;
template class std::vector<double, troupe::AlignedAllocator<double>>;
template class std::vector<float, troupe::ShareableAllocator<float>>;
