#pragma once

#include "base/allowed_cores.hpp"
#include "model/tensor/thread_pool.hpp"

#include <algorithm>
#include <cstdint>

namespace troupe {

/// Calls work(thread) on a thread for each core that it may use, but for no more than there are
/// pieces to read, and returns when all are done.
template <class Work>
void on_reading_threads(std::uint64_t pieces, const Work& work) {
  constexpr std::uint64_t most = 16; // then the disk or the memory is the limit
  const std::uint64_t cores = count_allowed_cores();
  const auto size = std::min({pieces, cores, most});
  if (size <= 1)
    work(Index{0});
  else
    ThreadPool(static_cast<Index>(size)).run(work);
}

} // namespace troupe
