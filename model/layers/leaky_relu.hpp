#pragma once

#include "model/layers/layer.hpp"

namespace troupe {

struct LeakyReluOptions {
  double slope = 0.01; ///< a, of the negative side, >= 0
  TROUPE_FIELDS(slope);
};

/// Leaky rectifier, y = x where x > 0, else a x; dx = dy where y > 0, else a dy. Maas, Hannun & Ng,
/// "Rectifier nonlinearities improve neural network acoustic models", ICML 2013, eq. 2.
template <class Scalar>
class LeakyReluLayer : public ActivationLayer<Scalar> {
public:
  /// @throws std::invalid_argument for a slope below 0: backward could not tell the sign of x from
  ///         y
  explicit LeakyReluLayer(LeakyReluOptions options = {});

  std::string kind() const override { return "leaky_relu"; }
  void forward(std::span<const Scalar> parameters, std::span<const Scalar> x,
               std::span<Scalar> y) override;
  void backward(const BackwardPass<Scalar>& pass) override;
  DeviceStage device_stage() const override {
    return ActivationStage{Activation::leaky_relu, double{slope_}};
  }
  std::unique_ptr<Layer<Scalar>> clone() const override;

  Scalar slope() const { return slope_; }

private:
  Scalar slope_;
};

} // namespace troupe
