#pragma once

#include "model/data/problem.hpp"

#include <optional>
#include <string>

namespace troupe {

/// True if each example is a row of numbers and its target is one class or some numbers.
bool is_table(const DataSpec& data);

/// The result of the simplest model.
struct LinearReference {
  std::string metric; ///< "accuracy" for classes, "r2" for numbers
  double value = 0;
};

/// Fits y = x W + b to the training section by least squares, with classes one-hot, and measures it
/// on `section`. Nothing if the data are not a table, the section is empty or has constant
/// targets, or the fit would take longer than about a second.
std::optional<LinearReference> linear_reference(const Problem& problem, Section section);

} // namespace troupe
