#pragma once

#include "model/layers/layer.hpp"

namespace troupe {

/// What a layer also is that can apply a relu which follows it to its own output, while the output
/// is in registers. Chain asks for it, and then skips the relu layer.
class Rectifying {
public:
  virtual ~Rectifying() = default;

  /// From now on the output is max(output, 0), and backward begins with that.
  virtual void rectify() = 0;
};

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
