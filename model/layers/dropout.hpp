#pragma once

#include "model/layers/layer.hpp"
#include "model/tensor/buffer.hpp"

namespace troupe {

/// The options of the layer `dropout`.
struct DropoutOptions {
  double rate = 0.5; ///< share of the numbers that become 0 in training, in [0, 1)
  TROUPE_FIELDS(rate);
};

/// Dropout: in training y = x m / (1 - rate), where each m is 0 with probability `rate`, else 1;
/// otherwise y = x. The m are functions of the batch's noise key and the layer's name.
///
/// Srivastava et al., "Dropout: a simple way to prevent neural networks from overfitting", JMLR 15,
/// 2014, section 4, scaled in training instead of afterwards (its section 10).
template <class Scalar>
class DropoutLayer : public Layer<Scalar> {
public:
  /// @throws std::invalid_argument unless 0 <= rate < 1
  explicit DropoutLayer(DropoutOptions options = {});

  std::string kind() const override { return "dropout"; }
  Shape connect(const Shape& input, const std::string& prefix, Layout& layout) override;
  void initialize(std::span<Scalar>, RandomKey) const override {}
  void begin(const PassContext& context) override;
  void forward(std::span<const Scalar> parameters, std::span<const Scalar> x,
               std::span<Scalar> y) override;
  void backward(const BackwardPass<Scalar>& pass) override;
  bool in_place() const override { return true; }
  bool needs_output() const override { return false; }
  bool supports_padding() const override { return true; }
  DeviceStage device_stage() const override {
    return DropoutStage{options_.rate, role_hash(prefix_.data(), prefix_.size())};
  }
  std::unique_ptr<Layer<Scalar>> clone() const override;

private:
  DropoutOptions options_;
  std::string prefix_;
  bool active_ = false; ///< in training with a rate above 0
  RandomKey noise_;
  Buffer<Scalar> factors_; ///< m / (1 - rate) of the last pass
};

} // namespace troupe
