#include "model/device/network_program.hpp"

#include <optional>
#include <stdexcept>

namespace troupe {

namespace {

const std::string cure_on_host = "; set training.device: cpu, or leave it out";

/// Collects the operations of a network.
class ProgramWriter {
public:
  ProgramWriter(const Network& network, Index batch, bool training)
    : links_(network.chain().links()),
      batch_(batch),
      training_(training) {
    program_.batch = batch;
    program_.input_width = width_of(links_.front().input);
    program_.width = network.prediction().shape.back();
    for (const auto& parameter : network.layout().parameters())
      if (parameter.role == ParameterRole::trained && trained_from_ < 0)
        trained_from_ = parameter.offset;
  }

  StepProgram write(const Network& network) {
    DeviceArray x{DeviceSpace::inputs, 0};
    for (std::size_t i = 0; i < links_.size(); ++i)
      x = forward(i, x);
    program_.prediction = x;
    program_.rows = size_of(links_.back().output) / program_.width;
    if (training_)
      backward(network.loss());
    return std::move(program_);
  }

private:
  /// A layer of the forward pass, with what its backward pass reads.
  struct Stage {
    DeviceStage stage;
    DeviceArray x, y;
    Index size = 0;     ///< of y
    bool fused = false; ///< y is computed by the product before it
  };

  static Index width_of(const Shape& shape) { return known_width(shape, "the input"); }
  Index size_of(const Shape& shape) const { return batch_ * width_of(shape); }
  DeviceArray take(Index size) {
    constexpr Index alignment = 64; // floats, as cublasLt's fastest kernels need
    const DeviceArray array{DeviceSpace::workspace, program_.workspace};
    program_.workspace += (size + alignment - 1) / alignment * alignment;
    return array;
  }
  bool relu_follows(std::size_t i) const {
    if (i + 1 == links_.size())
      return false;
    const auto next = links_[i + 1].layer.device_stage();
    const auto* activation = std::get_if<ActivationStage>(&next);
    return activation && activation->kind == Activation::relu;
  }

  DeviceArray forward(std::size_t i, DeviceArray x) {
    const auto& link = links_[i];
    Stage stage{link.layer.device_stage(), x, x, size_of(link.output)};
    if (std::holds_alternative<std::monostate>(stage.stage))
      throw std::invalid_argument("layer '" + link.name + "' (" + link.layer.kind()
                                  + ") has no version for a graphics card" + cure_on_host);
    if (const auto* linear = std::get_if<LinearStage>(&stage.stage)) {
      stage.y = take(stage.size);
      program_.ops.push_back(
        ProductOp{.a = x,
                  .b = {DeviceSpace::parameters, linear->weight},
                  .c = stage.y,
                  .m = stage.size / linear->outputs,
                  .n = linear->outputs,
                  .k = linear->inputs,
                  .epilogue = relu_follows(i) ? Epilogue::bias_relu : Epilogue::bias,
                  .bias = {DeviceSpace::parameters, linear->bias}});
    } else if (const auto* activation = std::get_if<ActivationStage>(&stage.stage)) {
      stage.fused = i > 0 && activation->kind == Activation::relu
                    && std::holds_alternative<LinearStage>(stages_.back().stage);
      if (!stage.fused) {
        stage.y = take(stage.size);
        program_.ops.push_back(ActivateOp{x, stage.y, stage.size, activation->kind,
                                          static_cast<float>(activation->slope)});
      }
    } else if (const auto* dropout = std::get_if<DropoutStage>(&stage.stage);
               dropout && training_ && dropout->rate > 0) {
      stage.y = take(stage.size);
      program_.ops.push_back(DropOp{x, stage.y, stage.size, dropout->rate, dropout->role});
    }
    stages_.push_back(stage);
    return stage.y;
  }

  void backward(const Loss<float>& loss) {
    const auto device_loss = loss.device_loss();
    if (!device_loss)
      throw std::invalid_argument("the loss " + loss.name() + " has no version for a graphics card"
                                  + cure_on_host);
    auto d = take(stages_.back().size);
    program_.ops.push_back(
      LossOp{program_.prediction, d, program_.rows, program_.width, *device_loss});
    for (auto stage = stages_.rbegin(); stage != stages_.rend(); ++stage) {
      if (const auto* linear = std::get_if<LinearStage>(&stage->stage)) {
        const auto rows = stage->size / linear->outputs;
        program_.ops.push_back(ProductOp{.a = stage->x,
                                         .b = d,
                                         .c = {DeviceSpace::gradient, linear->weight},
                                         .m = linear->inputs,
                                         .n = linear->outputs,
                                         .k = rows,
                                         .a_transposed = true,
                                         .epilogue = Epilogue::column_sums,
                                         .bias = {DeviceSpace::gradient, linear->bias},
                                         .beside = true});
        if (stage + 1 == stages_.rend() || linear->weight <= trained_from_)
          return; // what comes before is not trained
        const auto dx = take(rows * linear->inputs);
        program_.ops.push_back(ProductOp{.a = d,
                                         .b = {DeviceSpace::parameters, linear->weight},
                                         .c = dx,
                                         .m = rows,
                                         .n = linear->inputs,
                                         .k = linear->outputs,
                                         .b_transposed = true});
        d = dx;
      } else if (const auto* activation = std::get_if<ActivationStage>(&stage->stage)) {
        program_.ops.push_back(SlopeOp{stage->x, stage->y, d, stage->size, activation->kind,
                                       static_cast<float>(activation->slope)});
      } else if (const auto* dropout = std::get_if<DropoutStage>(&stage->stage);
                 dropout && dropout->rate > 0) {
        program_.ops.push_back(DropOp{d, d, stage->size, dropout->rate, dropout->role});
      }
    }
  }

  std::vector<Chain<float>::Link> links_;
  Index batch_;
  bool training_;
  Index trained_from_ = -1; ///< offset of the first trained parameter
  std::vector<Stage> stages_;
  StepProgram program_;
};

} // namespace

const Network& network_for_device(const Model& model) {
  const auto* network = dynamic_cast<const Network*>(&model);
  if (network == nullptr)
    throw std::invalid_argument("model '" + model.name()
                                + "' is no list of layers, and has no version for a graphics card"
                                + cure_on_host);
  return *network;
}

StepProgram network_program(const Network& network, Index batch, bool training) {
  if (!network.shares().empty())
    throw std::invalid_argument("model.share has no version for a graphics card" + cure_on_host);
  if (network.has_padding())
    throw std::invalid_argument("sequences of different lengths have no version for a graphics card"
                                + cure_on_host);
  return ProgramWriter{network, batch, training}.write(network);
}

} // namespace troupe
