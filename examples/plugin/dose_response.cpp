// A model of one's own: the dose that is enough for half, and how steep the curve is there.
#include <troupe/model/losses/metric_list.hpp>
#include <troupe/model/training/model_kind.hpp>

#include <cmath>

namespace {

using namespace troupe;

struct DoseResponseOptions {
  double slope = 1;                      ///< to begin with, > 0
  std::vector<std::string> metrics = {}; ///< besides loss and accuracy
  TROUPE_FIELDS(slope, metrics);
};

/// p(effect | x) = sigmoid(z), z = exp(s) (x - m); the loss is the mean of -log p of what happened.
/// Parameters, one after the other in the block: the median m, and s.
class DoseResponse final : public Model {
public:
  DoseResponse(const DataSpec& data, const DoseResponseOptions& options)
    : dose_(data.inputs.front()),
      effect_(data.targets.front()),
      metrics_(options.metrics, effect_),
      log_slope_(std::log(options.slope)) {
    if (!(options.slope > 0))
      throw std::invalid_argument("slope is not greater than 0; give a slope like 1");
    layout_.add("median", {1});
    layout_.add("log_slope", {1});
  }

  std::string name() const override { return "dose_response"; }
  const Layout& layout() const override { return layout_; }
  std::vector<FieldSpec> inputs() const override { return {dose_}; }
  FieldSpec prediction() const override { return effect_; }
  TargetKind target_kind() const override { return TargetKind::same_shape; }
  std::string loss_name() const override { return "binary_cross_entropy"; }
  std::unique_ptr<Model> clone() const override { return std::make_unique<DoseResponse>(*this); }

  void initialize(std::span<float> parameters, RandomKey key) const override {
    parameters[0] = static_cast<float>(Random{key.derive("median")}.normal());
    parameters[1] = static_cast<float>(log_slope_);
  }

  std::span<const float> forward(std::span<const float> parameters, const Batch& batch) override {
    predicted_.resize(static_cast<std::size_t>(batch.size));
    for (std::size_t i = 0; i < predicted_.size(); ++i)
      predicted_[i] = static_cast<float>(sigmoid(logit(parameters, batch, i)));
    return predicted_;
  }

  double loss_and_gradient(std::span<const float> parameters, const Batch& batch,
                           std::span<float> gradient) override {
    double loss = 0, dm = 0, ds = 0;
    for (std::size_t i = 0; i < batch.targets[0].values.size(); ++i) {
      const auto z = logit(parameters, batch, i), dz = sigmoid(z) - batch.targets[0].values[i];
      loss += loss_of(z, batch.targets[0].values[i]);
      dm -= dz * std::exp(parameters[1]);
      ds += dz * z;
    }
    const auto examples = static_cast<double>(batch.size);
    gradient[0] = static_cast<float>(dm / examples);
    gradient[1] = static_cast<float>(ds / examples);
    return loss / examples;
  }

  void evaluate(std::span<const float> parameters, const Batch& batch, Metrics& metrics) override {
    for (std::size_t i = 0; i < batch.targets[0].values.size(); ++i) {
      const auto z = logit(parameters, batch, i), happened = double{batch.targets[0].values[i]};
      metrics.add_mean("loss", loss_of(z, happened), 1);
      metrics.add_mean("accuracy", (z > 0) == (happened > 0) ? 1 : 0, 1);
    }
    metrics_.add({forward(parameters, batch), 1, batch.targets[0]}, metrics);
  }

private:
  static double sigmoid(double z) { return 1 / (1 + std::exp(-z)); }
  static double logit(std::span<const float> parameters, const Batch& batch, std::size_t i) {
    return std::exp(parameters[1]) * (batch.inputs[0].values[i] - parameters[0]);
  }
  static double loss_of(double z, double happened) {
    return std::log1p(std::exp(z)) - z * happened; // -log p
  }

  FieldSpec dose_, effect_;
  MetricList<float> metrics_;
  double log_slope_;
  Layout layout_;
  std::vector<float> predicted_; // its memory is used again
};

const RegisterModel dose_response_kind{
  model_kind<DoseResponse, DoseResponseOptions>("dose_response")};

} // namespace
