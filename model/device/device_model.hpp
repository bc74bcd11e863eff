#pragma once

#include "model/device/device_learner.hpp"
#include "model/zoo/network.hpp"

#include <memory>

namespace troupe {

/// A network whose predictions and evaluations a graphics card computes, beside a run that trains
/// there. The parameters go to the card with each call, so a call has many examples; metrics and
/// gradients are computed on the processor.
class DeviceModel : public Model {
public:
  static constexpr Index examples = 1024; ///< of a batch, at most, in evaluations

  /// @throws std::invalid_argument for a model that a card cannot compute, DeviceError
  DeviceModel(const Model& model, const DeviceLearnerOptions& device, BeginDeviceRun begin);

  std::string name() const override { return network_->name(); }
  const Layout& layout() const override { return network_->layout(); }
  std::vector<FieldSpec> inputs() const override { return network_->inputs(); }
  FieldSpec prediction() const override { return network_->prediction(); }
  TargetKind target_kind() const override { return network_->target_kind(); }
  std::string loss_name() const override { return network_->loss_name(); }
  double weight(const Batch& batch) const override { return network_->weight(batch); }
  bool mixes_examples() const override { return network_->mixes_examples(); }
  std::vector<StageSummary> stages() const override { return network_->stages(); }
  Index examples_at_once() const override { return examples; }

  void initialize(std::span<float> parameters, RandomKey key) const override {
    network_->initialize(parameters, key);
  }
  std::span<const float> forward(std::span<const float> parameters, const Batch& batch) override;
  double loss_and_gradient(std::span<const float> parameters, const Batch& batch,
                           std::span<float> gradient) override {
    return network_->loss_and_gradient(parameters, batch, gradient);
  }
  void evaluate(std::span<const float> parameters, const Batch& batch, Metrics& metrics) override;
  std::unique_ptr<Model> clone() const override;

private:
  std::unique_ptr<Model> model_;
  Network* network_; ///< model_
  DeviceLearnerOptions device_;
  BeginDeviceRun begin_;
  std::unique_ptr<DeviceRun> run_;
  Buffer<float> prediction_, scratch_;
};

/// Bytes of memory on the card that it needs.
std::uint64_t device_model_bytes(const Model& model);

} // namespace troupe
