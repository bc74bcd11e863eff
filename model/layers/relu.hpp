#pragma once

#include "model/layers/layer.hpp"

namespace troupe {

/// Rectifier, y = max(x, 0); dx = dy where y > 0, else 0. NaN stays NaN, so that a diverged run
/// shows. Nair & Hinton, "Rectified linear units improve restricted Boltzmann machines", ICML 2010.
template <class Scalar>
class ReluLayer : public ActivationLayer<Scalar> {
public:
  std::string kind() const override { return "relu"; }
  void forward(std::span<const Scalar> parameters, std::span<const Scalar> x,
               std::span<Scalar> y) override;
  void backward(const BackwardPass<Scalar>& pass) override;
  DeviceStage device_stage() const override { return ActivationStage{Activation::relu}; }
  std::unique_ptr<Layer<Scalar>> clone() const override;
};

} // namespace troupe
