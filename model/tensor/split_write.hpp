// Writes results whose elements are independent of each other with all threads of a pool.
#pragma once

#include "model/tensor/compute_scope.hpp"
#include "model/tensor/streamed.hpp"
#include "model/tensor/thread_pool_scope.hpp"

namespace troupe {

/// Elements; fewer are written sooner than a thread wakes up.
inline constexpr Index split_from = Index{1} << 16;

/// write_all(), split over the thread pool of the calling thread, a range for each thread; without
/// a pool the same as write_all(). The bits do not depend on the split, since `work` computes each
/// element by itself.
template <class Work>
void write_split(std::span<float> to, bool fresh, const Work& work) {
  auto* pool = ThreadPoolScope::current();
  const auto size = static_cast<Index>(to.size());
  if (!pool || size < split_from)
    return write_all(to, fresh, work);
  const auto pieces = size / streamed_piece; // a range begins where a piece may be streamed
  pool->run([&](Index thread) {
    const ComputeScope scope;
    const auto begin = pieces * thread / pool->size() * streamed_piece;
    const auto end
      = thread + 1 == pool->size() ? size : pieces * (thread + 1) / pool->size() * streamed_piece;
    const auto range
      = to.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
    write_all(range, fresh,
              [work, begin](Index at, Index count, float* x) { work(begin + at, count, x); });
  });
}

} // namespace troupe
