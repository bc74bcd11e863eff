// Training that can be computed by hand: numbers as data, one parameter as model.
#pragma once

#include "model/optimizers/make_optimizer.hpp"
#include "model/training/host_learner.hpp"

#include <memory>
#include <mutex>
#include <vector>

namespace troupe::test {

/// `examples` rows; row i has the input i and the target 2 i. Records which rows were read.
class ToyProblem : public Problem {
public:
  explicit ToyProblem(Index examples, Index validation = 4)
    : train_(examples),
      validation_(validation) {
    spec_.inputs = {{"x", ElementType::float32, {any_size, 1}, 0}};
    spec_.targets = {{"y", ElementType::float32, {any_size, 1}, 0}};
  }

  std::string name() const override { return "toy"; }
  const DataSpec& spec() const override { return spec_; }
  Index size(Section section) const override {
    return section == Section::train ? train_ : validation_;
  }
  Epoch epochs() const override { return epochs_; }

  void gather(Section section, std::span<const Index> rows, Batch& batch) const override {
    batch.size = static_cast<Index>(rows.size());
    batch.inputs.resize(1);
    batch.targets.resize(1);
    batch.inputs[0].values.clear();
    batch.targets[0].values.clear();
    std::lock_guard lock{mutex_};
    for (auto row : rows) {
      if (section == Section::train)
        asked_.push_back(row);
      if (row == poison_ && section == Section::train)
        throw std::runtime_error("row " + std::to_string(row) + " cannot be read");
      batch.inputs[0].values.push_back(static_cast<float>(row));
      batch.targets[0].values.push_back(2.0f * static_cast<float>(row));
    }
  }

  /// Training rows in the order in which they were read.
  std::vector<Index> asked() const {
    std::lock_guard lock{mutex_};
    return asked_;
  }

  void limit_epochs(Epoch epochs) { epochs_ = epochs; }
  void poison(Index row) { poison_ = row; } ///< reading it throws

private:
  Index train_, validation_;
  Epoch epochs_ = 0;
  Index poison_ = -1;
  DataSpec spec_;
  mutable std::mutex mutex_;
  mutable std::vector<Index> asked_;
};

/// Predicts w x, with the loss 1/2 (w x - y)^2 averaged over the batch. One parameter, "w".
class ToyModel : public Model {
public:
  ToyModel() { layout_.add("w", {1}); }

  std::string name() const override { return "toy"; }
  const Layout& layout() const override { return layout_; }
  std::vector<FieldSpec> inputs() const override {
    return {{"x", ElementType::float32, {any_size, 1}, 0}};
  }
  FieldSpec prediction() const override { return {"y", ElementType::float32, {any_size, 1}, 0}; }
  TargetKind target_kind() const override { return TargetKind::same_shape; }
  std::string loss_name() const override { return "half_squared_error"; }
  void initialize(std::span<float> parameters, RandomKey) const override { parameters[0] = 0; }

  std::span<const float> forward(std::span<const float> parameters, const Batch& batch) override {
    prediction_.clear();
    for (auto x : batch.inputs[0].values)
      prediction_.push_back(parameters[0] * x);
    return prediction_;
  }

  double loss_and_gradient(std::span<const float> parameters, const Batch& batch,
                           std::span<float> gradient) override {
    forward(parameters, batch);
    double loss = 0, slope = 0;
    for (std::size_t i = 0; i < prediction_.size(); ++i) {
      const double error = prediction_[i] - batch.targets[0].values[i];
      loss += error * error / 2;
      slope += error * batch.inputs[0].values[i];
    }
    gradient[0] = static_cast<float>(slope / static_cast<double>(batch.size));
    return loss / static_cast<double>(batch.size);
  }

  void evaluate(std::span<const float> parameters, const Batch& batch, Metrics& metrics) override {
    std::vector<float> unused(1);
    metrics.add_mean("loss",
                     loss_and_gradient(parameters, batch, unused) * static_cast<double>(batch.size),
                     static_cast<double>(batch.size));
  }

  std::unique_ptr<Model> clone() const override { return std::make_unique<ToyModel>(*this); }

private:
  Layout layout_;
  std::vector<float> prediction_;
};

struct ToyOptions {
  Index examples = 30;
  Index batch_size = 10;
  bool shuffle = false;
  float learning_rate = 1e-4f;
  bool drop_last = false;
  double momentum = 0;
};

/// A learner of the toy model; rows are in order by default.
inline std::shared_ptr<Learner> toy_learner(std::shared_ptr<const Problem> problem,
                                            ToyOptions options = {}) {
  BatchOrderOptions order;
  order.examples = problem->size(Section::train);
  order.batch_size = options.batch_size;
  order.shuffle = options.shuffle;
  order.drop_last = options.drop_last;
  const SgdOptions sgd{.learning_rate = options.learning_rate, .momentum = options.momentum};
  auto learner = std::make_shared<HostLearner>(problem, std::make_unique<ToyModel>(),
                                               make_optimizer(sgd, 1), BatchOrder{order});
  learner->initialize(RandomKey{0});
  return learner;
}

} // namespace troupe::test
