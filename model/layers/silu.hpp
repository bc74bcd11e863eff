#pragma once

#include "model/layers/layer.hpp"

namespace troupe {

/// Sigmoid-weighted linear unit ("swish"), y = x s, s = 1 / (1 + exp(-x));
/// dx = dy s (1 + x (1 - s)). Elfwing, Uchibe & Doya, "Sigmoid-weighted linear units for neural
/// network function approximation in reinforcement learning", Neural Networks 107, 2018, eqs. 7, 9.
///
/// Not in place: x cannot be computed from y.
template <class Scalar>
class SiluLayer : public ActivationLayer<Scalar> {
public:
  std::string kind() const override { return "silu"; }
  void forward(std::span<const Scalar> parameters, std::span<const Scalar> x,
               std::span<Scalar> y) override;
  void backward(const BackwardPass<Scalar>& pass) override;
  bool in_place() const override { return false; }
  bool needs_output() const override { return false; }
  DeviceStage device_stage() const override { return ActivationStage{Activation::silu}; }
  std::unique_ptr<Layer<Scalar>> clone() const override;
};

} // namespace troupe
