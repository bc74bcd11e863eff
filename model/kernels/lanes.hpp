// Vector registers of the target processor, for loops that the compiler does not vectorise well
// enough. Headers of layers do not include this file: programs that use them are compiled for any
// processor.
#pragma once

#include "base/types.hpp"

#include <cstdint>
#include <cstring>
#include <type_traits>

#ifdef __AVX__
#include <immintrin.h>
#endif

namespace troupe {

#if defined(__AVX512F__)
inline constexpr int register_bytes = 64, registers_of_sums = 24; // of 32
#elif defined(__AVX__)
inline constexpr int register_bytes = 32, registers_of_sums = 12; // of 16
#else
inline constexpr int register_bytes = 16, registers_of_sums = 12;
#endif

/// Numbers in one register; arithmetic works on all of them.
template <class Scalar>
struct LanesOf {
  using vector_type __attribute__((vector_size(register_bytes))) = Scalar;
};
template <class Scalar>
using Lanes = typename LanesOf<Scalar>::vector_type;

template <class Scalar>
inline constexpr Index lane_count = register_bytes / Index{sizeof(Scalar)};

template <class Scalar>
inline Lanes<Scalar> load(const Scalar* from) {
  Lanes<Scalar> lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return lanes;
}

template <class Scalar>
inline void store(const Lanes<Scalar>& lanes, Scalar* to) {
  std::memcpy(to, &lanes, sizeof lanes);
}

/// The same numbers, forced into a register. Otherwise the compiler reads them from memory at each
/// use, which costs more than the arithmetic where each is used once per row of a tile. Passed by
/// value: a reference would give them an address and store them there.
template <class Vector>
inline Vector kept_in_register(Vector lanes) {
#if defined(__AVX512F__)
  asm("" : "+v"(lanes));
#elif defined(__SSE2__)
  asm("" : "+x"(lanes));
#endif
  return lanes;
}

#if defined(__AVX__) && !defined(__AVX512F__)
/// All bits of the first `n` of a register's 32-bit words, none of the others.
inline __m256i first_words(Index n) {
  static constexpr std::int32_t words[] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(words + 8 - n));
}

/// On some AMD processors a masked store takes dozens of operations.
inline void store_pieces(const Lanes<float>& lanes, float* to, Index n) {
  auto rest = _mm256_castps256_ps128(lanes);
  if (n & 4) {
    _mm_storeu_ps(to, rest);
    rest = _mm256_extractf128_ps(lanes, 1);
    to += 4;
  }
  if (n & 2) {
    _mm_storel_pi(reinterpret_cast<__m64*>(to), rest);
    rest = _mm_movehl_ps(rest, rest);
    to += 2;
  }
  if (n & 1)
    _mm_store_ss(to, rest);
}

inline void store_pieces(const Lanes<double>& lanes, double* to, Index n) {
  auto rest = _mm256_castpd256_pd128(lanes);
  if (n & 2) {
    _mm_storeu_pd(to, rest);
    rest = _mm256_extractf128_pd(lanes, 1);
    to += 2;
  }
  if (n & 1)
    _mm_store_sd(to, rest);
}
#endif

/// Loads the first `n` numbers, 1 .. lane_count; reads nothing after them and sets the other lanes
/// to 0.
template <class Scalar>
inline Lanes<Scalar> load_some(const Scalar* from, Index n) {
  if (__builtin_constant_p(n) && n == lane_count<Scalar>)
    return load(from);
#ifdef __AVX512F__
  const auto mask = (1u << n) - 1;
  if constexpr (std::is_same_v<Scalar, float>)
    return _mm512_maskz_loadu_ps(static_cast<__mmask16>(mask), from);
  else
    return _mm512_maskz_loadu_pd(static_cast<__mmask8>(mask), from);
#elif defined(__AVX__)
  if constexpr (std::is_same_v<Scalar, float>)
    return _mm256_maskload_ps(from, first_words(n));
  else
    return _mm256_maskload_pd(from, first_words(2 * n));
#else
  if (n == lane_count<Scalar>)
    return load(from);
  Lanes<Scalar> lanes{};
  std::memcpy(&lanes, from, static_cast<std::size_t>(n) * sizeof(Scalar));
  return lanes;
#endif
}

/// Stores the first `n` numbers, 1 .. lane_count, and writes nothing after them.
template <class Scalar>
inline void store_some(const Lanes<Scalar>& lanes, Scalar* to, Index n) {
#ifdef __AVX512F__
  const auto mask = (1u << n) - 1;
  if constexpr (std::is_same_v<Scalar, float>)
    _mm512_mask_storeu_ps(to, static_cast<__mmask16>(mask), lanes);
  else
    _mm512_mask_storeu_pd(to, static_cast<__mmask8>(mask), lanes);
#elif defined(__AVX__)
  if (n == lane_count<Scalar>)
    store(lanes, to);
  else
    store_pieces(lanes, to, n);
#else
  if (n == lane_count<Scalar>)
    return store(lanes, to);
  std::memcpy(to, &lanes, static_cast<std::size_t>(n) * sizeof(Scalar));
#endif
}

template <class Scalar>
inline Scalar sum(const Lanes<Scalar>& lanes) {
#ifdef __AVX512F__
  if constexpr (std::is_same_v<Scalar, float>)
    return _mm512_reduce_add_ps(lanes);
  else
    return _mm512_reduce_add_pd(lanes);
#else
  Scalar total = 0;
  for (Index i = 0; i < lane_count<Scalar>; ++i)
    total += lanes[i];
  return total;
#endif
}

} // namespace troupe
