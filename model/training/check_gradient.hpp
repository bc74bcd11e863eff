// Compares the gradient of a model with its loss, for tests of a model of your own.
#pragma once

#include "model/training/model.hpp"

#include <span>
#include <string>

namespace troupe {

/// Where a gradient differs most from central differences of the loss.
struct GradientCheck {
  double error = 0;      ///< relative to the derivative, or to `GradientCheckOptions::small`
  std::string parameter; ///< its name
  Index element = 0;     ///< in the parameter, from 0
  double computed = 0;   ///< by the model
  double expected = 0;   ///< by differences
};

/// How derivatives are taken.
struct GradientCheckOptions {
  double step = 1e-3;  ///< of a parameter to both sides; in double 1e-5 is better
  double small = 1e-2; ///< smaller derivatives count as this one
};

/// @param parameters layout().size() numbers, which are changed for a moment
/// @returns the largest difference: about 1e-2 at most for a correct model in float, 1e-6 in double
template <class Scalar>
GradientCheck check_gradient(BasicModel<Scalar>& model, std::span<Scalar> parameters,
                             const BasicBatch<Scalar>& batch, GradientCheckOptions options = {});

} // namespace troupe
