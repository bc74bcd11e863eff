#include "troupe/model/clipping.hpp"

#include "troupe/model/split_write.hpp"

#include <Eigen/Core>

#include <atomic>
#include <cmath>
#include <stdexcept>
#include <string>

namespace troupe {

namespace {

void check_limit(double limit) {
  if (!(limit > 0))
    throw std::invalid_argument("a gradient cannot be clipped to " + std::to_string(limit)
                                + "; the limit must be greater than 0");
}

bool range_finite(std::span<const float> values) {
  const Eigen::Map<const Eigen::ArrayXf> v{values.data(), static_cast<Eigen::Index>(values.size())};
  return std::isfinite((v * 0.0f).sum()); // 0 times what is not finite is NaN
}

} // namespace

void clip_elements(std::span<float> gradient, float limit) {
  check_limit(limit);
  for (auto& g : gradient) {
    g = g > limit ? limit : g;
    g = g < -limit ? -limit : g;
  }
}

double clip_norm(std::span<float> gradient, double limit) {
  check_limit(limit);
  const auto before = norm(gradient);
  if (std::isfinite(before) && before > limit) {
    const auto factor = static_cast<float>(limit / before);
    for (auto& g : gradient)
      g *= factor;
  }
  return before;
}

double norm(std::span<const float> values) {
  const Eigen::Map<const Eigen::VectorXf> v{values.data(),
                                            static_cast<Eigen::Index>(values.size())};
  return std::sqrt(v.cast<double>().squaredNorm());
}

bool all_finite(std::span<const float> values) {
  auto* team = TeamScope::lent();
  const auto size = static_cast<Index>(values.size());
  if (!team || size < split_from)
    return range_finite(values);
  std::atomic<bool> finite{true};
  team->run([&](Index member) {
    const auto begin = size * member / team->size(), end = size * (member + 1) / team->size();
    if (!range_finite(
          values.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin))))
      finite = false;
  });
  return finite;
}

} // namespace troupe
