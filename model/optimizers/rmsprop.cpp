#include "troupe/model/optimizers/rmsprop.hpp"

#include "troupe/model/optimizers/checks.hpp"

#include <cassert>
#include <cmath>

namespace troupe {

RmsProp::RmsProp(RmsPropOptions options, Index size) : options_(options) {
  check_not_negative("rmsprop", "learning_rate", options.learning_rate);
  check_below_one("rmsprop", "decay", options.decay);
  check_not_negative("rmsprop", "epsilon", options.epsilon);
  check_not_negative("rmsprop", "weight_decay", options.weight_decay);
  slots_.push_back({"mean_square", Block{size}});
}

void RmsProp::step_from(std::span<const float> from, std::span<float> to,
                        std::span<const float> gradient) {
  assert(from.size() == gradient.size() && to.size() == gradient.size());
  ++steps_;
  const auto alpha = static_cast<float>(options_.learning_rate);
  const auto rho = static_cast<float>(options_.decay),
             rest = static_cast<float>(1 - options_.decay);
  const auto epsilon = static_cast<float>(options_.epsilon);
  const auto lambda = static_cast<float>(options_.weight_decay);
  const auto* w = from.data(); // may be where x is
  auto* x = to.data();
  const auto* gradients = gradient.data();
  auto* v = slots_[0].values.edit().data();
  const auto n = static_cast<Index>(to.size());
#pragma GCC ivdep
  for (Index i = 0; i < n; ++i) {
    const auto g = gradients[i] + lambda * w[i];
    const auto square = rho * v[i] + rest * g * g;
    v[i] = square;
    x[i] = w[i] - alpha * g / (std::sqrt(square) + epsilon);
  }
}

void RmsProp::set_learning_rate(float rate) {
  check_not_negative(name(), "learning_rate", double{rate});
  options_.learning_rate = double{rate};
}

} // namespace troupe
