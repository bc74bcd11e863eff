#pragma once

#include "model/layers/layer.hpp"

namespace troupe {

/// Hyperbolic tangent, y = tanh(x); dx = dy (1 - y^2). LeCun et al., "Efficient BackProp", 1998,
/// section 4.4.
template <class Scalar>
class TanhLayer : public ActivationLayer<Scalar> {
public:
  std::string kind() const override { return "tanh"; }
  void forward(std::span<const Scalar> parameters, std::span<const Scalar> x,
               std::span<Scalar> y) override;
  void backward(const BackwardPass<Scalar>& pass) override;
  DeviceStage device_stage() const override { return ActivationStage{Activation::tanh}; }
  std::unique_ptr<Layer<Scalar>> clone() const override;
};

} // namespace troupe
