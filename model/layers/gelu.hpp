#pragma once

#include "model/layers/layer.hpp"

namespace troupe {

/// Gaussian error linear unit, approximated with tanh as in GPT-2:
///
///   y = x / 2 (1 + tanh u)     u = sqrt(2 / pi) (x + 0.044715 x^3)
///
/// Hendrycks & Gimpel, "Gaussian error linear units", arXiv:1606.08415, section 2.
template <class Scalar>
class GeluLayer : public Layer<Scalar> {
public:
  std::string kind() const override { return "gelu"; }
  Shape connect(const Shape& input, const std::string&, Layout&) override { return input; }
  void initialize(std::span<Scalar>, RandomKey) const override {}
  void forward(std::span<const Scalar> parameters, std::span<const Scalar> x,
               std::span<Scalar> y) override;
  void backward(const BackwardPass<Scalar>& pass) override;
  bool needs_output() const override { return false; }
  DeviceStage device_stage() const override { return ActivationStage{Activation::gelu}; }
  std::unique_ptr<Layer<Scalar>> clone() const override;
};

} // namespace troupe
