#pragma once

#include "model/layers/linear.hpp"

namespace troupe {

/// The linear layer at the end of a network, as wide as the prediction requires.
///
///   prediction [any, n]             x [any, inputs]           one row for each example
///   prediction [any, length, n]     x [any, length, inputs]   one row for each place, or
///                                   x [any, inputs]           all places from one row
template <class Scalar>
class OutputLayer : public LinearLayer<Scalar> {
public:
  /// @param prediction the shape of the prediction, see prediction_shape
  explicit OutputLayer(Shape prediction, std::string initializer = "he_normal");

  /// @throws std::invalid_argument for an input of none of these shapes
  Shape connect(const Shape& input, const std::string& prefix, Layout& layout) override;
  std::unique_ptr<Layer<Scalar>> clone() const override;

private:
  Shape prediction_;
};

} // namespace troupe
