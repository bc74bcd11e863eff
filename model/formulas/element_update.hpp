// One step of each optimizer for one element, as processor and graphics card take it.
#pragma once

#include "base/host_device.hpp"

#include <cmath>
#include <cstdint>

namespace troupe {

enum class UpdateKind : std::uint8_t { sgd, momentum, nesterov, adam, rmsprop, adagrad, adadelta };

/// An optimizer with its settings at one moment.
struct OptimizerRule {
  UpdateKind kind = UpdateKind::sgd;
  bool decoupled = false; ///< the weight decay of AdamW
  double learning_rate = 0, weight_decay = 0;
  double decay1 = 0; ///< momentum, beta1, or the decay of a running mean
  double decay2 = 0; ///< beta2
  double epsilon = 0;
  bool operator==(const OptimizerRule&) const = default;
};

/// How many numbers an optimizer keeps for each element.
constexpr int slots_of(UpdateKind kind) {
  switch (kind) {
  case UpdateKind::sgd: return 0;
  case UpdateKind::momentum:
  case UpdateKind::nesterov:
  case UpdateKind::rmsprop:
  case UpdateKind::adagrad: return 1;
  case UpdateKind::adam:
  case UpdateKind::adadelta: return 2;
  }
  return 0; // no value of the enumeration
}

/// The numbers of a step that are the same for many elements.
struct ElementUpdate {
  float alpha = 0;  ///< learning rate; Adam's is divided by 1 - beta1^t
  float lambda = 0; ///< weight decay that is added to the gradient
  float keep = 1;   ///< factor of the element, for decoupled weight decay
  float decay1 = 0, rest1 = 0;
  float decay2 = 0, rest2 = 0;
  float root2 = 1; ///< Adam: 1 / sqrt(1 - beta2^t)
  float epsilon = 0;
};

/// @param rate_share, decay_share shares of the settings (ScaledStretch)
/// @param step its number, from 1
TROUPE_HOST_DEVICE inline ElementUpdate element_update(const OptimizerRule& rule, double rate_share,
                                                       double decay_share, double step) {
  const auto alpha = rule.learning_rate * rate_share;
  const auto decay = rule.weight_decay * decay_share;
  ElementUpdate u;
  u.alpha = static_cast<float>(alpha);
  u.lambda = static_cast<float>(rule.decoupled ? 0 : decay);
  u.keep = static_cast<float>(rule.decoupled ? 1 - alpha * decay : 1);
  u.decay1 = static_cast<float>(rule.decay1);
  u.rest1 = static_cast<float>(1 - rule.decay1);
  u.decay2 = static_cast<float>(rule.decay2);
  u.rest2 = static_cast<float>(1 - rule.decay2);
  u.epsilon = static_cast<float>(rule.epsilon);
  if (rule.kind == UpdateKind::adam) { // alpha m^ = alpha1 m, sqrt(v^) = sqrt(v) root2
    u.alpha = static_cast<float>(alpha / (1 - pow(rule.decay1, step)));
    u.root2 = static_cast<float>(1 / sqrt(1 - pow(rule.decay2, step)));
  }
  return u;
}

/// @param w the element, g its gradient
/// @param m, v the numbers that the optimizer keeps; replaced by the next ones
/// @returns the next w
template <UpdateKind Kind, class Scalar>
TROUPE_HOST_DEVICE inline Scalar moved(const ElementUpdate& u, Scalar w, Scalar gradient, Scalar& m,
                                       Scalar& v) {
  const auto g = gradient + u.lambda * w;
  if constexpr (Kind == UpdateKind::sgd) {
    return w - u.alpha * g;
  } else if constexpr (Kind == UpdateKind::momentum) {
    m = u.decay1 * m + g;
    return w - u.alpha * m;
  } else if constexpr (Kind == UpdateKind::nesterov) {
    m = u.decay1 * m + g;
    return w - u.alpha * (g + u.decay1 * m);
  } else if constexpr (Kind == UpdateKind::adam) {
    m = u.decay1 * m + u.rest1 * g;
    v = u.decay2 * v + u.rest2 * g * g;
    return u.keep * w - u.alpha * m / (std::sqrt(v) * u.root2 + u.epsilon);
  } else if constexpr (Kind == UpdateKind::rmsprop) {
    m = u.decay1 * m + u.rest1 * g * g;
    return w - u.alpha * g / (std::sqrt(m) + u.epsilon);
  } else if constexpr (Kind == UpdateKind::adagrad) {
    m = m + g * g;
    return w - u.alpha * g / (std::sqrt(m) + u.epsilon);
  } else {
    static_assert(Kind == UpdateKind::adadelta, "each kind has its own formula");
    m = u.decay1 * m + u.rest1 * g * g;
    const auto d = g * std::sqrt(v + u.epsilon) / std::sqrt(m + u.epsilon);
    v = u.decay1 * v + u.rest1 * d * d;
    return w - u.alpha * d;
  }
}

} // namespace troupe
