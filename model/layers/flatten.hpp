#pragma once

#include "model/layers/layer.hpp"

namespace troupe {

/// Makes one row of each example: [any, a, b, ...] becomes [any, a b ...]. Nothing moves in memory.
template <class Scalar>
class FlattenLayer : public Layer<Scalar> {
public:
  std::string kind() const override { return "flatten"; }
  Shape connect(const Shape& input, const std::string& prefix, Layout& layout) override;
  void initialize(std::span<Scalar>, RandomKey) const override {}
  void forward(std::span<const Scalar> parameters, std::span<const Scalar> x,
               std::span<Scalar> y) override;
  void backward(const BackwardPass<Scalar>& pass) override;
  bool in_place() const override { return true; }
  bool needs_output() const override { return false; }
  DeviceStage device_stage() const override { return PassedOn{}; }
  std::unique_ptr<Layer<Scalar>> clone() const override;
};

} // namespace troupe
