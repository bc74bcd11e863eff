// Proofs of a layer: its gradients against differences, and both passes against what PyTorch gives.
#pragma once

#include "troupe/model/layers/layer.hpp"
#include "troupe/tests/support/gradient_check.hpp"

#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace troupe::test {

inline std::vector<double> uniform_numbers(std::size_t n, double limit, std::uint64_t key) {
  Random random{{key}};
  std::vector<double> numbers(n);
  for (auto& x : numbers)
    x = random.uniform(-limit, limit);
  return numbers;
}

inline std::size_t elements(const Shape& shape, Index batch) {
  auto n = static_cast<std::size_t>(batch);
  for (std::size_t i = 1; i < shape.size(); ++i)
    n *= static_cast<std::size_t>(shape[i]);
  return n;
}

/// @returns the largest relative error of the gradients w.r.t. x and to the parameters, for the
/// loss sum_i c_i y_i with random c.
inline double layer_gradient_error(Layer<double>& layer, const Shape& input, Index batch) {
  Layout layout;
  const auto output = layer.connect(input, "layer", layout);
  auto parameters = uniform_numbers(static_cast<std::size_t>(layout.size()), 1, 1);
  auto x = uniform_numbers(elements(input, batch), 2, 2);
  const auto dy = uniform_numbers(elements(output, batch), 1, 3);
  std::vector<double> y(dy.size()), dx(x.size(), 99), gradient(parameters.size(), 99);
  const auto loss = [&] {
    layer.forward(parameters, x, y);
    double sum = 0;
    for (std::size_t i = 0; i < y.size(); ++i)
      sum += y[i] * dy[i];
    return sum;
  };
  loss();
  layer.backward({parameters, x, y, dy, dx, gradient});
  return std::max(gradient_error(x, dx, loss), gradient_error(parameters, gradient, loss));
}

/// The arrays of a file that a script of tests/fixtures wrote, by name.
/// @throws std::runtime_error where it cannot be read.
template <class Scalar>
std::map<std::string, std::vector<Scalar>> read_fixture(const std::string& name) {
  const auto path = TROUPE_FIXTURES "/" + name + ".txt";
  std::ifstream file{path};
  std::map<std::string, std::vector<Scalar>> arrays;
  std::string key;
  for (std::size_t n; file >> key >> n;)
    for (arrays[key].resize(n); auto& value : arrays[key])
      file >> value;
  if (!file.eof() || arrays.empty())
    throw std::runtime_error("cannot read the fixture " + path);
  return arrays;
}

/// @returns the largest difference between what `layer` puts out and gives back and the fixture, as
/// a share of the number where that exceeds 1.
template <class Scalar>
double fixture_error(Layer<Scalar>& layer, const Shape& input, const std::string& name) {
  auto f = read_fixture<Scalar>(name);
  Layout layout;
  layer.connect(input, "layer", layout);
  if (static_cast<std::size_t>(layout.size()) != f["parameters"].size())
    throw std::runtime_error("the fixture " + name + " has another number of parameters");
  std::vector<Scalar> y(f["y"].size()), dx(f["dx"].size()), gradient(f["parameters"].size());
  layer.forward(f["parameters"], f["x"], y);
  layer.backward({f["parameters"], f["x"], y, f["dy"], dx, gradient});
  double worst = 0;
  const auto compare = [&worst](const auto& is, const auto& should) {
    for (std::size_t i = 0; i < is.size(); ++i)
      worst = std::max(worst, std::abs(double{is[i]} - double{should[i]})
                                / std::max(1.0, std::abs(double{should[i]})));
  };
  compare(y, f["y"]);
  compare(dx, f["dx"]);
  compare(gradient, f["gradient"]);
  return worst;
}

} // namespace troupe::test
