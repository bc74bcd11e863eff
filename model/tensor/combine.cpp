#include "model/tensor/combine.hpp"

#include "model/tensor/streamed.hpp"

namespace troupe {

namespace {

/// alpha s + beta w, rounded in a fixed order whatever the compiler does: a run in one process and
/// one over several must give the same bits.
inline float weighted_sum_of(float alpha, float s, float beta, float w) {
#ifdef __FMA__
  return __builtin_fmaf(alpha, s, beta * w);
#else
  return alpha * s + beta * w;
#endif
}

} // namespace

void combine_into(std::span<float> result, std::span<const float> shared, float alpha,
                  std::span<const float> incoming, float beta) {
  const auto* s = shared.data();
  const auto* w = incoming.data();
  write_all(result, result.data() != s && result.data() != w,
            [=](Index begin, Index count, float* r) {
#pragma GCC ivdep
              for (Index i = 0; i < count; ++i)
                r[i] = weighted_sum_of(alpha, s[begin + i], beta, w[begin + i]);
            });
}

} // namespace troupe
