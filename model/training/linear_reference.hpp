#pragma once

#include "model/data/problem.hpp"

#include <optional>
#include <string>

namespace troupe {

/// Whether each example is a row of numbers and its target one class, or some numbers.
bool is_table(const DataSpec& data);

/// How well the simplest model does.
struct LinearReference {
  std::string metric; ///< "accuracy" of classes, "r2" of numbers
  double value = 0;
};

/// Fits y = x W + b to the training section by least squares, classes as 1 and 0 of each, and
/// measures it on `section`. Nothing where the data are no table, the section is empty or has
/// nothing to explain, or the fit would take longer than about a second.
std::optional<LinearReference> linear_reference(const Problem& problem, Section section);

} // namespace troupe
