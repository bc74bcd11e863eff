#pragma once

#include "model/layers/layer.hpp"

namespace troupe {

/// Fully connected layer, y = x W + 1 b', on the last dimension of its input.
///
///   x  [any, ..., inputs]      W  [inputs, outputs]   "<prefix>.weight"
///   y  [any, ..., outputs]     b  [outputs]           "<prefix>.bias"
template <class Scalar>
class LinearLayer : public Layer<Scalar> {
public:
  /// @param initializer see initializers.hpp
  /// @throws std::invalid_argument for outputs < 1 or an unknown initializer
  explicit LinearLayer(Index outputs, std::string initializer = "he_normal");

  std::string kind() const override { return "linear"; }
  Shape connect(const Shape& input, const std::string& prefix, Layout& layout) override;
  void initialize(std::span<Scalar> parameters, RandomKey key) const override;
  void forward(std::span<const Scalar> parameters, std::span<const Scalar> x,
               std::span<Scalar> y) override;
  void backward(const BackwardPass<Scalar>& pass) override;
  bool needs_output() const override { return false; }
  bool supports_padding() const override { return true; }
  bool mixes_last_size() const override { return true; }
  DeviceStage device_stage() const override {
    return LinearStage{inputs_, outputs_, weight_, bias_};
  }
  std::unique_ptr<Layer<Scalar>> clone() const override;

protected:
  void set_outputs(Index outputs) { outputs_ = outputs; } ///< before connect

private:
  Index inputs_ = 0;
  Index outputs_;
  std::string initializer_;
  std::string prefix_;
  Index weight_ = 0, bias_ = 0; ///< offsets in the block
};

} // namespace troupe
