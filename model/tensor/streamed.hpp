// Writes results past the caches: a processor reads each cache line before it writes to it, and for
// a block that is larger than the caches and is not read soon, that costs more than everything
// else.
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
  = 64; ///< elements at a time; with more, reads wait for writes

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

/// Orders streamed writes before all later writes, as other threads see them.
inline void finish_streaming() {
#ifdef __SSE__
  _mm_sfence();
#endif
}

/// True if a result at `to` is large enough to be streamed, and aligned.
inline bool streams(std::span<const float> to) {
  return static_cast<Index>(to.size()) >= streamed_from
         && reinterpret_cast<std::uintptr_t>(to.data()) % 64 == 0;
}

/// Computes all elements of `to`: `work(from, count, out)` computes `count` elements starting with
/// `from` and writes them to `out`.
/// @param fresh `work` does not read this memory, so a large result can be streamed
/// @param work by value, so that the compiler sees that writing a result does not change it: with a
///        reference it reloads its members for each element
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
