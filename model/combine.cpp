#include "troupe/model/combine.hpp"

namespace troupe {

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
    r[i] = alpha * s[i] + beta * w[i];
}

} // namespace troupe
