#include "model/training/evaluation_pass.hpp"

#include "model/tensor/compute_scope.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace troupe {

EvaluationPass::EvaluationPass(std::shared_ptr<const Problem> problem, std::shared_ptr<Model> model,
                               Block parameters, Section section, Index batch_size, Step batches)
  : problem_(std::move(problem)),
    model_(std::move(model)),
    parameters_(std::move(parameters)),
    section_(section),
    batch_size_(examples_per_batch(problem_->spec(), batch_size)),
    end_(problem_->size(section)) {
  if (parameters_.size() != model_->layout().size())
    throw std::invalid_argument("cannot evaluate " + std::to_string(parameters_.size())
                                + " parameters with model '" + model_->name() + "', which has "
                                + std::to_string(model_->layout().size()));
  if (batch_size <= 0)
    throw std::invalid_argument("a batch of " + std::to_string(batch_size) + " examples");
  if (batches > 0 && batches <= static_cast<Step>(end_ / batch_size_)) // or the section is shorter
    end_ = static_cast<Index>(batches) * batch_size_;
}

void EvaluationPass::step() { measure_next(metrics_); }

void EvaluationPass::step(Metrics& batch) {
  batch = {};
  measure_next(batch);
  metrics_.merge(batch);
}

void EvaluationPass::measure_next(Metrics& metrics) {
  ComputeScope scope;
  const auto streams = problem_->spec().streams > 0; // all of which continue in the next batch
  batch_begin_ = next_;
  for (const auto batch_end = std::min(next_ + batch_size_, end_); next_ < batch_end;) {
    const auto piece_end
      = streams ? batch_end : std::min(next_ + model_->examples_at_once(), batch_end);
    read(next_, piece_end);
    model_->evaluate(parameters_.view(), batch_, metrics);
    next_ = piece_end;
  }
}

void EvaluationPass::read(Index begin, Index end) {
  rows_.resize(static_cast<std::size_t>(end - begin));
  std::iota(rows_.begin(), rows_.end(), begin);
  problem_->gather(section_, rows_, batch_);
}

const Batch& EvaluationPass::batch() {
  if (batch_.size != next_ - batch_begin_)
    read(batch_begin_, next_);
  return batch_;
}

} // namespace troupe
