// Results that are written past the caches: a processor reads each line of memory before it writes
// to it, and for a block that is larger than its caches and that nobody reads soon, that reading
// costs more than all the rest.
#pragma once

#include "base/types.hpp"

#include <array>
#include <cstdint>
#include <span>

#ifdef __SSE__
#include <immintrin.h>
#endif

namespace troupe {

inline constexpr Index streamed_from = Index{1} << 20; ///< elements; fewer stay in a core's caches
inline constexpr Index streamed_piece
  = 64; ///< elements at a time: more, and reading waits behind writing

/// Writes one piece to memory, around the caches. @pre `to` is aligned to 64 bytes
inline void stream_piece(float* to, const std::array<float, streamed_piece>& piece) {
#if defined(__AVX512F__)
  for (std::size_t i = 0; i < piece.size(); i += 16)
    _mm512_stream_ps(to + i, _mm512_loadu_ps(piece.data() + i));
#elif defined(__SSE__)
  for (std::size_t i = 0; i < piece.size(); i += 4)
    _mm_stream_ps(to + i, _mm_loadu_ps(piece.data() + i));
#else
  for (std::size_t i = 0; i < piece.size(); ++i)
    to[i] = piece[i];
#endif
}

/// What was streamed before is seen by everybody who sees what is written after.
inline void finish_streaming() {
#ifdef __SSE__
  _mm_sfence();
#endif
}

/// Whether a result at `to` is large enough to be streamed, and lies as it must.
inline bool streams(std::span<const float> to) {
  return static_cast<Index>(to.size()) >= streamed_from
         && reinterpret_cast<std::uintptr_t>(to.data()) % 64 == 0;
}

/// Computes all elements of `to`: `work(from, count, out)` computes those from `from` on and writes
/// them to `out`.
/// @param fresh nothing that `work` reads lies there, so that a large result can be streamed
/// @param work a copy, so that the compiler sees that no result changes what it holds: with a
/// reference it reads that again for each element, one at a time
template <class Work>
[[gnu::flatten]] void write_all(std::span<float> to, bool fresh, Work work) {
  const auto size = static_cast<Index>(to.size());
  Index from = 0;
  if (fresh && streams(to)) {
    for (; from + streamed_piece <= size; from += streamed_piece) {
      alignas(64) std::array<float, streamed_piece> piece;
      work(from, streamed_piece, piece.data());
      stream_piece(to.data() + from, piece);
    }
    finish_streaming();
  }
  work(from, size - from, to.data() + from);
}

} // namespace troupe
