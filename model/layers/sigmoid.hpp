#pragma once

#include "model/layers/layer.hpp"

namespace troupe {

/// Logistic function, y = 1 / (1 + exp(-x)); dx = dy y (1 - y). Rumelhart, Hinton & Williams,
/// Nature 323, 1986, eq. 2.
template <class Scalar>
class SigmoidLayer : public ActivationLayer<Scalar> {
public:
  std::string kind() const override { return "sigmoid"; }
  void forward(std::span<const Scalar> parameters, std::span<const Scalar> x,
               std::span<Scalar> y) override;
  void backward(const BackwardPass<Scalar>& pass) override;
  DeviceStage device_stage() const override { return ActivationStage{Activation::sigmoid}; }
  std::unique_ptr<Layer<Scalar>> clone() const override;
};

} // namespace troupe
