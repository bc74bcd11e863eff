#include "model/tensor/finite_numbers.hpp"

#include "model/tensor/split_write.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <atomic>
#include <cmath>

namespace troupe {

namespace {

constexpr std::size_t narrow = 16; // a row of this size is in one cache line

bool range_finite(std::span<const float> values) {
  const Eigen::Map<const Eigen::ArrayXf> v{values.data(), static_cast<Eigen::Index>(values.size())};
  return std::isfinite((v * 0.0f).sum()); // 0 times what is not finite is NaN
}

} // namespace

bool all_finite(std::span<const float> values) {
  auto* pool = ThreadPoolScope::current();
  const auto size = static_cast<Index>(values.size());
  if (!pool || size < split_from)
    return range_finite(values);
  std::atomic<bool> finite{true};
  pool->run([&](Index thread) {
    const auto begin = size * thread / pool->size(), end = size * (thread + 1) / pool->size();
    if (!range_finite(
          values.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin))))
      finite = false;
  });
  return finite;
}

Index remove_not_finite(const Layout& layout, std::span<float> gradient) {
  Index removed = 0;
  for (const auto& parameter : layout.parameters()) {
    const auto own = gradient.subspan(static_cast<std::size_t>(parameter.offset),
                                      static_cast<std::size_t>(parameter.size()));
    if (all_finite(own))
      continue;
    std::fill(own.begin(), own.end(), 0.0f);
    ++removed;
  }
  return removed;
}

bool edges_finite(std::span<const float> gradient, Index rows) {
  const auto width = gradient.size() / static_cast<std::size_t>(rows);
  if (width <= narrow)
    return all_finite(gradient);
  float zero = 0;
  for (std::size_t begin = 0; begin < gradient.size(); begin += width)
    zero += gradient[begin] * 0.0f;
  return std::isfinite(zero) && all_finite(gradient.first(width));
}

} // namespace troupe
