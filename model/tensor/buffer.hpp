#pragma once

#include "base/types.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <vector>

namespace troupe {

/// Allocates memory aligned to 64 bytes, a cache line and a vector register.
///
/// All but the smallest pieces come from thread-safe pools and go back to them; the pools keep at
/// most `pool_limit` bytes. A fresh mapping of 20 MB costs more in page faults than training on it
/// costs in arithmetic. A piece of 50 KB that goes back to malloc is soon split for small objects,
/// and the next request of its size needs new memory: the process would grow with each validation.
/// @throws std::bad_alloc if the machine is out of memory
void* allocate_aligned(std::size_t bytes);
/// The same, in memory that another process on this machine can read, if the piece is large and
/// this process shares large pieces (shared_memory.hpp).
void* allocate_aligned_shareable(std::size_t bytes);
/// @param memory from allocate_aligned or allocate_aligned_shareable, or null @param bytes as it
/// was asked for
void free_aligned(void* memory, std::size_t bytes) noexcept;

/// Returns the whole pages in this range to the system and loses their contents; they are mapped
/// again on the next write. Not for shareable pieces.
void release_pages(std::span<float> numbers) noexcept;

/// Total bytes allocated by allocate_aligned and freed on all threads since the program began.
struct AlignedTraffic {
  std::uint64_t taken = 0;    ///< bytes
  std::uint64_t returned = 0; ///< bytes

  /// Bytes that are not freed yet.
  std::uint64_t in_use() const { return taken - returned; }
};

/// Of this moment; other threads may go on.
AlignedTraffic aligned_traffic();

inline constexpr std::size_t pool_limit
  = std::size_t{256} << 20; ///< bytes kept for reuse; the same again for shareable pieces

/// Allocator for std::vector: aligned, pooled, and elements are not zero-filled on resize.
template <class T>
struct AlignedAllocator {
  /// The elements.
  using value_type = T;

  /// For containers that rebind it.
  AlignedAllocator() = default;
  /// For containers that rebind it.
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) noexcept {}

  /// @throws std::bad_alloc if the machine is out of memory
  T* allocate(std::size_t n) { return static_cast<T*>(allocate_aligned(n * sizeof(T))); }
  /// @param p from `allocate` with the same `n`
  void deallocate(T* p, std::size_t n) noexcept { free_aligned(p, n * sizeof(T)); }

  /// Without arguments a number keeps what the memory holds.
  template <class U, class... Args>
  void construct(U* p, Args&&... args) {
    if constexpr (sizeof...(Args) == 0)
      ::new (static_cast<void*>(p)) U; // leaves numbers as they are
    else
      ::new (static_cast<void*>(p)) U(std::forward<Args>(args)...);
  }

  /// Memory of one may be returned to any other.
  template <class U>
  bool operator==(const AlignedAllocator<U>&) const noexcept {
    return true;
  }
};

/// The same, for data that other processes on this machine may read.
template <class T>
struct ShareableAllocator : AlignedAllocator<T> {
  /// For containers that rebind it.
  ShareableAllocator() = default;
  /// For containers that rebind it.
  template <class U>
  ShareableAllocator(const ShareableAllocator<U>&) noexcept {}

  /// @throws std::bad_alloc if the machine is out of memory
  T* allocate(std::size_t n) { return static_cast<T*>(allocate_aligned_shareable(n * sizeof(T))); }
};

/// A vector of numbers whose data is 64-byte aligned; `resize` does not clear what it adds.
template <class T>
using Buffer = std::vector<T, AlignedAllocator<T>>;
/// The same, in memory that other processes on this machine may read.
template <class T>
using ShareableBuffer = std::vector<T, ShareableAllocator<T>>;

} // namespace troupe

// Instantiated once, in model/: in unoptimised code the loop that leaves elements as they are would
// take time for each of them.
extern template class std::vector<float, troupe::AlignedAllocator<float>>;
extern template class std::vector<double, troupe::AlignedAllocator<double>>;
extern template class std::vector<float, troupe::ShareableAllocator<float>>;
