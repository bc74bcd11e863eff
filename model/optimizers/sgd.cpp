#include "troupe/model/optimizers/sgd.hpp"

#include "troupe/model/optimizers/checks.hpp"

#include <cassert>
#include <stdexcept>

namespace troupe {

Sgd::Sgd(SgdOptions options, Index size) : options_(options) {
  check_not_negative("sgd", "learning_rate", options.learning_rate);
  check_below_one("sgd", "momentum", options.momentum);
  check_not_negative("sgd", "weight_decay", options.weight_decay);
  if (options.nesterov && options.momentum == 0)
    throw std::invalid_argument("nesterov of sgd needs a momentum greater than 0");
  if (options.momentum > 0)
    slots_.push_back({"momentum", Block{size}});
}

void Sgd::step(std::span<float> parameters, std::span<const float> gradient) {
  assert(parameters.size() == gradient.size());
  ++steps_;
  const auto alpha = static_cast<float>(options_.learning_rate);
  const auto mu = static_cast<float>(options_.momentum);
  const auto lambda = static_cast<float>(options_.weight_decay);
  const auto n = static_cast<Index>(parameters.size());
  auto* x = parameters.data();
  const auto* gradients = gradient.data();
  if (slots_.empty()) {
    for (Index i = 0; i < n; ++i)
      x[i] -= alpha * (gradients[i] + lambda * x[i]);
    return;
  }
  auto* m = slots_[0].values.edit().data();
  if (options_.nesterov) {
    for (Index i = 0; i < n; ++i) {
      const auto g = gradients[i] + lambda * x[i];
      m[i] = mu * m[i] + g;
      x[i] -= alpha * (g + mu * m[i]);
    }
  } else {
    for (Index i = 0; i < n; ++i) {
      const auto step = mu * m[i] + (gradients[i] + lambda * x[i]);
      m[i] = step;
      x[i] -= alpha * step;
    }
  }
}

void Sgd::set_learning_rate(float rate) {
  check_not_negative(name(), "learning_rate", double{rate});
  options_.learning_rate = double{rate};
}

} // namespace troupe
