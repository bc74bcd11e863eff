#include "troupe/model/combine.hpp"

#ifdef __AVX512F__
#include <immintrin.h>
#endif

namespace troupe {

namespace {

/// alpha s + beta w, rounded in the same way by every function here: a run in one process and one
/// over several take different ones and have to get the same bits.
inline float mixed(float alpha, float s, float beta, float w) {
#ifdef __FMA__
  return __builtin_fmaf(alpha, s, beta * w);
#else
  return alpha * s + beta * w;
#endif
}

} // namespace

void combine(std::span<float> shared, float alpha, std::span<const float> incoming, float beta) {
  combine_into(shared, shared, alpha, incoming, beta);
}

void combine_into(std::span<float> result, std::span<const float> shared, float alpha,
                  std::span<const float> incoming, float beta) {
  auto* r = result.data();
  const auto* s = shared.data();
  const auto* w = incoming.data();
  const auto n = result.size();
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i)
    r[i] = mixed(alpha, s[i], beta, w[i]);
}

void combine_and_copy(std::span<float> shared, float alpha, std::span<const float> incoming,
                      float beta, std::span<float> copy) {
  auto* s = shared.data();
  const auto* w = incoming.data();
  auto* r = copy.data();
  const auto n = shared.size();
  std::size_t i = 0;
#ifdef __AVX512F__
  const auto a = _mm512_set1_ps(alpha), b = _mm512_set1_ps(beta);
  for (; i + 16 <= n; i += 16) {
    const auto value
      = _mm512_fmadd_ps(a, _mm512_loadu_ps(s + i), _mm512_mul_ps(b, _mm512_loadu_ps(w + i)));
    _mm512_storeu_ps(s + i, value);
    _mm512_stream_ps(r + i, value);
  }
  _mm_sfence(); // the copy is there before anybody is told of it
#endif
  for (; i < n; ++i)
    r[i] = s[i] = mixed(alpha, s[i], beta, w[i]);
}

} // namespace troupe
