#pragma once

#include "model/tensor/buffer.hpp"
#include "model/tensor/thread_pool.hpp"
#include "model/training/model.hpp"

#include <memory>
#include <vector>

namespace troupe {

/// @throws std::invalid_argument for more than one thread and a model that mixes the examples of a
///         batch
void check_splittable(const Model& model, Index threads);

/// A model whose training batches are split over threads: each slice of the batch passes through a
/// clone of the model, and their gradients are added in the order of the slices.
///
///   w_i = weight_i / sum weight
///   loss = sum_i w_i loss_i      gradient = sum_i w_i gradient_i
///
/// For a given number of threads the bits are the same whatever the timing; another number adds in
/// another order. Each slice draws its own noise (dropout). The first slices are longer by up to
/// one example; a batch with fewer examples than threads leaves the last threads idle. Needs memory
/// for a gradient and the activations of a slice per thread. Prediction and evaluation run on one
/// thread.
class SplitModel : public Model {
public:
  /// @param threads in all, including the caller's
  /// @throws std::invalid_argument for fewer than 1, and for a model that mixes the examples of a
  ///         batch
  SplitModel(std::unique_ptr<Model> model, Index threads);

  std::string name() const override { return whole().name(); }
  const Layout& layout() const override { return whole().layout(); }
  std::vector<FieldSpec> inputs() const override { return whole().inputs(); }
  FieldSpec prediction() const override { return whole().prediction(); }
  TargetKind target_kind() const override { return whole().target_kind(); }
  std::string loss_name() const override { return whole().loss_name(); }
  double weight(const Batch& batch) const override { return whole().weight(batch); }
  std::vector<StageSummary> stages() const override { return whole().stages(); }

  void initialize(std::span<float> parameters, RandomKey key) const override {
    whole().initialize(parameters, key);
  }
  std::span<const float> forward(std::span<const float> parameters, const Batch& batch) override {
    return whole().forward(parameters, batch);
  }
  double loss_and_gradient(std::span<const float> parameters, const Batch& batch,
                           std::span<float> gradient) override;
  void evaluate(std::span<const float> parameters, const Batch& batch, Metrics& metrics) override {
    whole().evaluate(parameters, batch, metrics);
  }
  std::unique_ptr<Model> clone() const override;

  /// The model whose batches are split.
  const Model& whole() const { return *parts_.front().model; }

  /// The threads, which sleep outside of loss_and_gradient(), for other work in the meantime.
  ThreadPool& pool() { return pool_; }

private:
  /// The data of one thread.
  struct Part {
    std::unique_ptr<Model> model;
    Batch batch;
    Buffer<float> gradient; ///< the first part uses the caller's instead
    double weight = 0;      ///< of its slice; 0 if it is empty
    double loss = 0;
  };

  Model& whole() { return *parts_.front().model; }
  void add(std::span<float> gradient, double weight, Index thread);

  ThreadPool pool_;
  std::vector<Part> parts_; ///< by thread
};

} // namespace troupe
