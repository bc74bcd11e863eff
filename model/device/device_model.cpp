#include "model/device/device_model.hpp"

#include "model/device/network_program.hpp"

#include <utility>

namespace troupe {

namespace {

DevicePlan prediction_plan(const Network& network, const DeviceLearnerOptions& device) {
  DevicePlan plan;
  plan.device = device.number;
  plan.precision = device.precision;
  plan.parameters = network.layout().size();
  return plan;
}

} // namespace

std::uint64_t device_model_bytes(const Model& model) {
  const auto program = network_program(network_for_device(model), DeviceModel::examples, false);
  const auto floats
    = 2 * model.layout().size() + program.workspace + program.batch * program.input_width;
  return static_cast<std::uint64_t>(floats) * sizeof(float);
}

DeviceModel::DeviceModel(const Model& model, const DeviceLearnerOptions& device,
                         BeginDeviceRun begin)
  : model_(network_for_device(model).clone()),
    network_(dynamic_cast<Network*>(model_.get())),
    device_(device),
    begin_(std::move(begin)),
    run_(begin_(prediction_plan(*network_, device))) {}

std::unique_ptr<Model> DeviceModel::clone() const {
  return std::make_unique<DeviceModel>(*model_, device_, begin_);
}

std::span<const float> DeviceModel::forward(std::span<const float> parameters, const Batch& batch) {
  const auto program = network_program(*network_, batch.size, false);
  prediction_.resize(static_cast<std::size_t>(program.rows * program.width));
  run_->write(DeviceBlock::parameters, parameters);
  run_->predict(program, network_->input(batch), prediction_);
  return prediction_;
}

void DeviceModel::evaluate(std::span<const float> parameters, const Batch& batch,
                           Metrics& metrics) {
  const auto predicted = forward(parameters, batch);
  scratch_.resize(predicted.size());
  network_->measure(predicted, batch, scratch_, metrics);
}

} // namespace troupe
