// Compares layers with central differences, without a network around them.
#pragma once

#include "model/layers/layer.hpp"
#include "tests/support/gradient_check.hpp"

#include <vector>

namespace troupe::test {

using Numbers = std::vector<double>;

inline Numbers random_numbers(std::size_t n, std::uint64_t key) {
  Random random{{key}};
  Numbers numbers(n);
  for (auto& x : numbers)
    x = random.uniform(-2, 2);
  return numbers;
}

inline double weighted_sum(const Numbers& y, const Numbers& weights) {
  double sum = 0;
  for (std::size_t i = 0; i < y.size(); ++i)
    sum += y[i] * weights[i];
  return sum;
}

/// Numbers in a batch of this shape.
inline std::size_t numbers_in(const Shape& shape, Index batch) {
  return static_cast<std::size_t>(batch * known_width(shape, "a test"));
}

/// The largest relative error of dx and of the gradient w.r.t. trained parameters, for the loss
/// sum_i c_i y_i with random c. The layer gets `context` before each forward pass. Parameters are
/// drawn from -limit to limit.
inline double worst_gradient(Layer<double>& layer, const Shape& input, Index batch,
                             const PassContext& context = {}, double limit = 2) {
  Layout layout;
  const auto output = layer.connect(input, "layer", layout);
  auto parameters = random_numbers(static_cast<std::size_t>(layout.size()), 1);
  for (auto& p : parameters)
    p *= limit / 2;
  auto x = random_numbers(numbers_in(input, batch), 2);
  const auto dy = random_numbers(numbers_in(output, batch), 3);
  Numbers y(dy.size()), dx(x.size(), 99), gradient(parameters.size(), 99);
  const auto loss = [&] {
    layer.begin(context);
    layer.forward(parameters, x, y);
    return weighted_sum(y, dy);
  };
  loss();
  layer.backward({parameters, x, y, dy, dx, gradient});
  auto worst = gradient_error(x, dx, loss);
  for (const auto& parameter : layout.parameters()) {
    const auto part = [&](Numbers& all) {
      return std::span<double>{all}.subspan(static_cast<std::size_t>(parameter.offset),
                                            static_cast<std::size_t>(parameter.size()));
    };
    if (parameter.role == ParameterRole::trained)
      worst = std::max(worst, gradient_error(part(parameters), part(gradient), loss));
  }
  return worst;
}

/// Whether the gradient w.r.t. parameters is the same if dx is not requested.
inline bool same_without_dx(Layer<double>& layer, const Shape& input, Index batch) {
  Layout layout;
  const auto output = layer.connect(input, "layer", layout);
  const auto parameters = random_numbers(static_cast<std::size_t>(layout.size()), 1);
  const auto x = random_numbers(numbers_in(input, batch), 2);
  const auto dy = random_numbers(numbers_in(output, batch), 3);
  Numbers y(dy.size()), dx(x.size()), with(parameters.size(), 98), without(parameters.size(), 99);
  layer.begin({true, {}});
  layer.forward(parameters, x, y);
  layer.backward({parameters, x, y, dy, dx, with});
  layer.forward(parameters, x, y);
  layer.backward({parameters, x, y, dy, {}, without});
  return with == without;
}

} // namespace troupe::test
