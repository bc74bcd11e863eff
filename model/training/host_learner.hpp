#pragma once

#include "model/data/statistics_source.hpp"
#include "model/optimizers/untrained_elements.hpp"
#include "model/tensor/thread_pool.hpp"
#include "model/training/batch_gradient.hpp"
#include "model/training/learner.hpp"

namespace troupe {

/// A learner that computes on the processor: each step is done when update() returns.
class HostLearner : public Learner {
public:
  /// @throws std::invalid_argument as Learner() does
  HostLearner(std::shared_ptr<const Problem> problem, std::unique_ptr<Model> model,
              std::unique_ptr<Optimizer> optimizer, BatchOrder order, LearnerOptions options = {});

  std::uint64_t unused_gradient_bytes() const override { return gradient_.unused_bytes(); }
  const Block& parameters() const override { return parameters_; }
  void set_parameters(Block parameters) override;
  std::span<const float> gradient() override { return gradient_.whole(); }
  void set_gradient(std::span<const float> gradient) override;
  void read(Step cursor) override;
  ReadBatch use(ReadBatch batch) override;
  void compute_gradient(Step cursor, bool kept = false) override;
  StepResult update(Step cursor) override;
  void release_step() override;

private:
  void find_sources();
  void check_begun() const;
  void collect_statistics();
  bool updates_need_whole_gradient() const;
  /// @returns false if the gradient is not finite and the policy requires a check
  bool clip();
  bool looks_finite(); ///< checks as much of the gradient as `nan` requires

  Block parameters_;
  BatchGradient gradient_;
  double loss_ = 0, weight_ = 0; ///< of the batch that was read
  bool begun_ = false;           ///< it has parameters, drawn or given
  bool given_gradient_ = false;  ///< by set_gradient()
  UntrainedElements untrained_;
  ThreadPool* pool_ = nullptr; ///< of a model that splits its batches; null: none
  ReadBatch read_;
  std::vector<const StatisticsSource*> sources_; ///< problem and model, if they are sources
};

} // namespace troupe
