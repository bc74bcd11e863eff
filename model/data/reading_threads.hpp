#pragma once

#include "base/allowed_cores.hpp"
#include "model/tensor/thread_pool.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace troupe {

/// Threads that read data at once.
inline std::uint64_t count_reading_threads() {
  constexpr std::uint64_t most = 16; // then the disk or the memory is the limit
  return std::min<std::uint64_t>(count_allowed_cores(), most);
}

/// Calls work(thread) on a thread for each core that it may use, but for no more than there are
/// pieces to read, and returns when all are done.
template <class Work>
void on_reading_threads(std::uint64_t pieces, const Work& work) {
  const auto size = std::min(pieces, count_reading_threads());
  if (size <= 1)
    work(Index{0});
  else
    ThreadPool(static_cast<Index>(size)).run(work);
}

/// Calls work(piece) for each piece below `pieces`, in any order, on such threads.
template <class Work>
void for_each_on_threads(std::uint64_t pieces, const Work& work) {
  std::atomic<std::uint64_t> next = 0;
  on_reading_threads(pieces, [&](Index) {
    for (auto piece = next++; piece < pieces; piece = next++)
      work(static_cast<std::size_t>(piece));
  });
}

} // namespace troupe
