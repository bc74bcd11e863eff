#pragma once

#include "model/losses/loss.hpp"
#include "model/losses/metric_list.hpp"
#include "model/torch/torch_module.hpp"
#include "model/training/model.hpp"

namespace troupe {

struct TorchOptions {
  std::string file = "";        ///< written by torch.jit.save
  std::string fingerprint = ""; ///< of the file, recorded by a run so that no other file replaces
                                ///< it; "": any file
  std::string loss = "auto";    ///< by the target's type, or one by name; see NetworkOptions
  double label_smoothing = 0;   ///< for a cross-entropy over classes, 0 .. < 1
  std::string input = "";       ///< name of the input; "": the problem's first
  std::vector<std::string> metrics = {}; ///< in addition to those of the loss
  std::vector<std::string> frozen = {};  ///< names of parameters that never change, or patterns
  TROUPE_FIELDS(file, fingerprint, loss, label_smoothing, input, metrics, frozen);
};

/// A TorchScript module with one of Troupe's losses.
///
///   x [any, ...], as the problem has it  ->  module  ->  y [any, ...]  ->  loss
///
/// The module reads its parameters in the block and its gradient goes into ours; its buffers (the
/// running statistics of a batch norm) are statistics of the block. Initialised with the values in
/// the file, whatever the key. Random numbers come from the batch's noise key. Its passes allocate
/// memory from Troupe's pool.
class TorchModel : public Model {
public:
  /// Passes two examples of zeros through the module to learn the shape of its output.
  /// @param path of the module, for messages
  /// @throws std::invalid_argument if module, options and data do not fit
  TorchModel(std::unique_ptr<TorchModule> module, const std::string& path, const DataSpec& data,
             const TorchOptions& options = {});

  std::string name() const override { return "torch"; }
  const Layout& layout() const override { return layout_; }
  std::vector<FieldSpec> inputs() const override { return {input_}; }
  FieldSpec prediction() const override { return prediction_; }
  TargetKind target_kind() const override { return loss_->target_kind(); }
  std::string loss_name() const override { return loss_->name(); }

  void initialize(std::span<float> parameters, RandomKey) const override;
  std::span<const float> forward(std::span<const float> parameters, const Batch& batch) override;
  double loss_and_gradient(std::span<const float> parameters, const Batch& batch,
                           std::span<float> gradient) override;
  void evaluate(std::span<const float> parameters, const Batch& batch, Metrics& metrics) override;
  double weight(const Batch& batch) const override;
  /// A module may do anything with the examples of a batch.
  bool mixes_examples() const override { return true; }
  std::unique_ptr<Model> clone() const override;

private:
  TorchModel(const TorchModel& other); ///< clone
  void take_layout(const std::vector<std::string>& frozen);
  void probe();
  /// The output of a pass. @throws std::invalid_argument if the module's forward fails
  template <class Pass>
  TorchOutput passed(Pass pass) const;
  TorchInput input(const Batch& batch) const;
  std::span<const float> checked(const TorchOutput& output, Index examples) const;
  Comparison<float> comparison(std::span<const float> prediction, const Batch& batch) const;

  std::unique_ptr<TorchModule> module_;
  std::string description_; ///< "the module 'Net' in 'net.pt'"
  std::size_t input_index_ = 0;
  FieldSpec input_;
  FieldSpec prediction_;
  Layout layout_;
  double target_unit_ = 1;
  std::shared_ptr<const Loss<float>> loss_;
  MetricList<float> metrics_;
  Buffer<float> output_gradient_; ///< the gradient of the loss w.r.t. the prediction
};

} // namespace troupe
