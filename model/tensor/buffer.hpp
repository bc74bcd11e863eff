#pragma once

#include "base/types.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <vector>

namespace troupe {

/// Takes memory aligned to 64 bytes, a cache line and a vector register.
///
/// All but the smallest pieces come from pools and go back to them, which keep at most `pool_limit`
/// bytes and are safe to use from all threads. A fresh mapping of 20 MB costs more page faults than
/// training on it costs arithmetic. And a piece of 50 KB that malloc gets back is soon nibbled at
/// by something small that stays, a row of the log say, and too small for the next of its kind:
/// where the parameters were copied for each validation, a run grew by their size each time.
/// @throws std::bad_alloc where the machine has no memory left.
void* allocate_aligned(std::size_t bytes);
/// The same, where another process of this machine can read it if it is large and this process
/// shares its large pieces (shared_memory.hpp).
void* allocate_aligned_shareable(std::size_t bytes);
void free_aligned(void* memory, std::size_t bytes) noexcept;

/// Gives the whole pages among these numbers back to the system, which has new ones there once
/// something is written to them: what they held is lost. Not for shareable pieces.
void give_back_pages(std::span<float> numbers) noexcept;

/// Bytes that all threads have taken with allocate_aligned and given back since the program began.
struct AlignedTraffic {
  std::uint64_t taken = 0;
  std::uint64_t returned = 0;

  std::uint64_t in_use() const { return taken - returned; }
};

AlignedTraffic aligned_traffic();

inline constexpr std::size_t pool_limit
  = std::size_t{256} << 20; ///< bytes kept for reuse; as many of those that are shareable

/// Allocator for std::vector: aligned, pooled, and elements are not zero-filled on resize.
template <class T>
struct AlignedAllocator {
  using value_type = T;

  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) noexcept {}

  T* allocate(std::size_t n) { return static_cast<T*>(allocate_aligned(n * sizeof(T))); }
  void deallocate(T* p, std::size_t n) noexcept { free_aligned(p, n * sizeof(T)); }

  template <class U, class... Args>
  void construct(U* p, Args&&... args) {
    if constexpr (sizeof...(Args) == 0)
      ::new (static_cast<void*>(p)) U; // leaves numbers as they are
    else
      ::new (static_cast<void*>(p)) U(std::forward<Args>(args)...);
  }

  template <class U>
  bool operator==(const AlignedAllocator<U>&) const noexcept {
    return true;
  }
};

/// The same, for what other processes of this machine may want to read.
template <class T>
struct ShareableAllocator : AlignedAllocator<T> {
  ShareableAllocator() = default;
  template <class U>
  ShareableAllocator(const ShareableAllocator<U>&) noexcept {}

  T* allocate(std::size_t n) { return static_cast<T*>(allocate_aligned_shareable(n * sizeof(T))); }
};

/// A vector of numbers whose data is 64-byte aligned; `resize` does not clear what it adds.
template <class T>
using Buffer = std::vector<T, AlignedAllocator<T>>;
template <class T>
using ShareableBuffer = std::vector<T, ShareableAllocator<T>>;

} // namespace troupe

// Compiled once, with model/: elsewhere, where nothing is optimized, a loop over all elements would
// do nothing to each.
extern template class std::vector<float, troupe::AlignedAllocator<float>>;
extern template class std::vector<double, troupe::AlignedAllocator<double>>;
extern template class std::vector<float, troupe::ShareableAllocator<float>>;
