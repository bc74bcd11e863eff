#pragma once

#include <algorithm>
#include <cmath>
#include <span>

namespace troupe::test {

/// Compares `gradient` with central differences of `f()` with respect to each element of `x`.
/// @returns the largest difference, relative to the derivative if that exceeds 0.001.
template <class Function>
double gradient_error(std::span<double> x, std::span<const double> gradient, Function f) {
  constexpr double h = 1e-5, small = 1e-3;
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto here = x[i];
    x[i] = here + h;
    const double above = f();
    x[i] = here - h;
    const double below = f();
    x[i] = here;
    const auto numeric = (above - below) / (2 * h);
    const auto size = std::max({std::abs(numeric), std::abs(gradient[i]), small});
    worst = std::max(worst, std::abs(numeric - gradient[i]) / size);
  }
  return worst;
}

} // namespace troupe::test
