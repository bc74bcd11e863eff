#include "model/optimizers/clipping.hpp"

#include <Eigen/Core>

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

double clip_parameter_norms(const Layout& layout, std::span<float> gradient, double limit) {
  double sum = 0;
  for (const auto& parameter : layout.parameters()) {
    const auto before = clip_norm(gradient.subspan(static_cast<std::size_t>(parameter.offset),
                                                   static_cast<std::size_t>(parameter.size())),
                                  limit);
    sum += before * before;
  }
  return std::sqrt(sum);
}

double norm(std::span<const float> values) {
  const Eigen::Map<const Eigen::VectorXf> v{values.data(),
                                            static_cast<Eigen::Index>(values.size())};
  return std::sqrt(v.cast<double>().squaredNorm());
}

} // namespace troupe
