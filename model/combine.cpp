#include "troupe/model/combine.hpp"

namespace troupe {

namespace {

/// alpha s + beta w, rounded in one way whatever the compiler makes of it: a run in one process and
/// one over several have to get the same bits.
inline float mixed(float alpha, float s, float beta, float w) {
#ifdef __FMA__
  return __builtin_fmaf(alpha, s, beta * w);
#else
  return alpha * s + beta * w;
#endif
}

} // namespace

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

} // namespace troupe
