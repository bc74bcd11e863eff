// Compares layers with results of PyTorch.
#pragma once

#include "model/layers/layer.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace troupe::test {

/// The arrays of a file that a script of tests/fixtures wrote, by name.
/// @param name of the file; "file:part" for its arrays "part.x", "part.y", ...
/// @throws std::runtime_error if it cannot be read.
template <class Scalar>
std::map<std::string, std::vector<Scalar>> read_fixture(const std::string& of) {
  const auto name = of.substr(0, of.find(':'));
  const auto part = name == of ? "" : of.substr(name.size() + 1) + ".";
  const auto path = TROUPE_FIXTURES "/" + name + ".txt";
  std::ifstream file{path};
  std::map<std::string, std::vector<Scalar>> arrays;
  std::string key;
  for (std::size_t n; file >> key >> n;) {
    std::vector<Scalar> numbers(n);
    for (auto& value : numbers)
      file >> value;
    if (key.starts_with(part))
      arrays[key.substr(part.size())] = std::move(numbers);
  }
  if (!file.eof() || arrays.empty())
    throw std::runtime_error("cannot read the fixture " + of + " of " + path);
  return arrays;
}

/// @returns the largest difference between results of `layer` and the fixture, relative to the
/// number if that exceeds 1. The layer gets `context` first.
template <class Scalar>
double fixture_error(Layer<Scalar>& layer, const Shape& input, const std::string& name,
                     const PassContext& context = {}) {
  auto f = read_fixture<Scalar>(name);
  Layout layout;
  layer.connect(input, "layer", layout);
  if (static_cast<std::size_t>(layout.size()) != f["parameters"].size())
    throw std::runtime_error("the fixture " + name + " has another number of parameters");
  std::vector<Scalar> y(f["y"].size()), dx(f["dx"].size()), gradient(f["parameters"].size());
  layer.begin(context);
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
