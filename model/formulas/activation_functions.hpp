// Activations of one number and their derivatives, for processor and graphics card.
#pragma once

#include "base/host_device.hpp"

#include <cmath>
#include <cstdint>

namespace troupe {

enum class Activation : std::uint8_t { relu, tanh, sigmoid, leaky_relu, silu, gelu };

inline constexpr double gelu_slope = 0.7978845608028654; // sqrt(2 / pi)
inline constexpr double gelu_cubic = 0.044715;

/// @param slope of leaky_relu below 0
template <class Scalar>
TROUPE_HOST_DEVICE inline Scalar activated(Activation kind, Scalar x, Scalar slope) {
  switch (kind) {
  case Activation::relu: return x < 0 ? Scalar{0} : x;
  case Activation::tanh: return std::tanh(x);
  case Activation::sigmoid: return 1 / (std::exp(-x) + 1);
  case Activation::leaky_relu: return x > 0 ? x : slope * x;
  case Activation::silu: return x / (std::exp(-x) + 1);
  case Activation::gelu: {
    const auto u
      = static_cast<Scalar>(gelu_slope) * x * (1 + static_cast<Scalar>(gelu_cubic) * x * x);
    return x / 2 * (1 + std::tanh(u));
  }
  }
  return x;
}

/// True where activation_slope() reads x rather than y.
constexpr bool slope_needs_input(Activation kind) {
  return kind == Activation::silu || kind == Activation::gelu;
}

/// The derivative at x, where the activation is y. Only one of them is read.
template <class Scalar>
TROUPE_HOST_DEVICE inline Scalar activation_slope(Activation kind, Scalar x, Scalar y,
                                                  Scalar slope) {
  switch (kind) {
  case Activation::relu: return y > 0 ? Scalar{1} : Scalar{0};
  case Activation::tanh: return 1 - y * y;
  case Activation::sigmoid: return y * (1 - y);
  case Activation::leaky_relu: return y > 0 ? Scalar{1} : slope;
  case Activation::silu: {
    const auto s = 1 / (std::exp(-x) + 1);
    return s * (1 + x * (1 - s));
  }
  case Activation::gelu: {
    const auto a = static_cast<Scalar>(gelu_slope), c = static_cast<Scalar>(gelu_cubic);
    const auto t = std::tanh(a * x * (1 + c * x * x));
    return (1 + t + x * (1 - t * t) * a * (1 + 3 * c * x * x)) / 2;
  }
  }
  return 1;
}

} // namespace troupe
