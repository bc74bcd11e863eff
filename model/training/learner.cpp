#include "model/training/learner.hpp"

#include "model/optimizers/clipping.hpp"
#include "model/tensor/block_step.hpp"
#include "model/tensor/compute_scope.hpp"
#include "model/tensor/finite_numbers.hpp"
#include "model/tensor/thread_pool_scope.hpp"
#include "model/training/batch_statistics.hpp"
#include "model/training/model_fit.hpp"
#include "model/training/split_model.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace troupe {

namespace {

template <class Pointer>
Pointer given(Pointer part, const std::string& what) {
  if (!part)
    throw std::invalid_argument(
      "a learner was given no " + what
      + " (a null pointer); it needs a problem, a model and an optimizer");
  return part;
}

/// A step reads and writes its slots up to the number of parameters.
void check_slots(const Optimizer& optimizer, const Model& model) {
  const auto size = model.layout().size();
  for (const auto& slot : optimizer.slots())
    if (slot.values.size() != size)
      throw std::invalid_argument("optimizer '" + optimizer.name() + "' was made for "
                                  + std::to_string(slot.values.size()) + " parameters; model '"
                                  + model.name() + "' has " + std::to_string(size)
                                  + ": make it with the size of the model's layout");
}

} // namespace

Learner::Learner(std::shared_ptr<const Problem> problem, std::unique_ptr<Model> model,
                 std::unique_ptr<Optimizer> optimizer, BatchOrder order, LearnerOptions options)
  : reader_(given(std::move(problem), "problem"), std::move(order)),
    model_(given(std::move(model), "model")),
    optimizer_(given(std::move(optimizer), "optimizer")),
    options_(std::move(options)),
    gradient_(layout().size()) {
  check_fit(this->problem(), *model_);
  check_slots(*optimizer_, *model_);
  parameters_ = Block{layout().size()};
  untrained_ = UntrainedElements{layout()};
  optimizer_->scale(scaled_stretches(layout(), options_.scales));
  if (!options_.statistics)
    return;
  const auto* split = dynamic_cast<const SplitModel*>(model_.get());
  const auto& whole = split != nullptr ? split->whole() : *model_;
  sources_ = statistics_sources(this->problem(), whole);
}

void Learner::initialize(RandomKey key) { model_->initialize(parameters_.edit(), key); }

void Learner::set_parameters(Block parameters) {
  if (parameters.size() != layout().size())
    throw std::invalid_argument("a block of " + std::to_string(parameters.size())
                                + " parameters for model '" + model_->name() + "', which has "
                                + std::to_string(layout().size()));
  parameters_ = std::move(parameters);
}

void Learner::read(Step cursor) {
  gradient_.discard_batch();
  reader_.read(cursor, read_);
}

ReadBatch Learner::use(ReadBatch batch) {
  gradient_.discard_batch();
  if (!batch.error.empty())
    throw std::runtime_error(batch.error);
  std::swap(read_, batch);
  return batch;
}

StepResult Learner::train(Step cursor) {
  compute_gradient(cursor);
  return update(cursor);
}

void Learner::compute_gradient(Step cursor, bool kept) {
  ComputeScope scope;
  read_.batch.noise = options_.noise.derive(cursor);
  const auto parameters = parameters_.view();
  const auto gradient = gradient_.begin();
  loss_ = updates_need_whole_gradient()
            ? model_->loss_and_gradient(parameters, read_.batch, gradient)
            : model_->loss_and_partial_gradient(gradient_.deferred(), parameters, read_.batch,
                                                gradient);
  if (kept)
    gradient_.whole();
  weight_ = model_->weight(read_.batch);
  given_gradient_ = false;
  collect_statistics();
}

void Learner::collect_statistics() {
  statistics_ = statistics_of_batch(sources_, *model_, parameters_.view(), read_.batch);
}

void Learner::set_gradient(std::span<const float> gradient) {
  const auto size = static_cast<std::size_t>(layout().size());
  if (gradient.size() != size)
    throw std::invalid_argument("a gradient of " + std::to_string(gradient.size())
                                + " elements for model '" + model_->name() + "', which has "
                                + std::to_string(size) + " parameters");
  std::copy(gradient.begin(), gradient.end(), gradient_.begin().begin());
  given_gradient_ = true;
}

// A finite loss may have a gradient that is not finite: after an overflow, or for a root at 0.
// Reading all of it takes 2 to 3 % of a step, which is worth it where the parameters must stay good
// for the next batch. With NanPolicy::stop the edges suffice: what they miss shows in the next
// loss.
bool Learner::clip() {
  const auto& clipping = options_.clipping;
  if (options_.nan == NanPolicy::remove)
    remove_not_finite(layout(), gradient_.whole());
  if (clipping.element > 0)
    clip_elements(gradient_.whole(), static_cast<float>(clipping.element));
  auto finite = true;
  if (clipping.parameter_norm > 0)
    finite
      = std::isfinite(clip_parameter_norms(layout(), gradient_.whole(), clipping.parameter_norm));
  if (clipping.norm > 0)
    finite = std::isfinite(clip_norm(gradient_.whole(), clipping.norm)) && finite;
  return finite && (clipping.norm > 0 || clipping.parameter_norm > 0 || looks_finite());
}

bool Learner::looks_finite() {
  if (options_.nan == NanPolicy::skip || given_gradient_)
    return all_finite(gradient_.whole());
  return options_.nan != NanPolicy::stop || gradient_.looks_finite(layout());
}

bool Learner::updates_need_whole_gradient() const {
  const auto& [element, norm, parameter_norm] = options_.clipping;
  return element > 0 || norm > 0 || parameter_norm > 0 || options_.nan == NanPolicy::skip
         || options_.nan == NanPolicy::remove || !untrained_.empty();
}

StepResult Learner::update(Step cursor) {
  ComputeScope scope;
  auto* split = dynamic_cast<SplitModel*>(model_.get());
  const ThreadPoolScope threads{split ? &split->pool() : nullptr};
  const auto& batch = read_.batch;
  const auto& rows = read_.rows;
  StepResult result{loss_, batch.size, weight_, false};
  if (!untrained_.empty())
    untrained_.take(parameters_.view(), gradient_.whole());
  const auto finite = clip() && (given_gradient_ || std::isfinite(loss_));
  if (!finite && options_.nan == NanPolicy::stop)
    throw std::runtime_error("the loss or its gradient of batch " + std::to_string(cursor + 1)
                             + " (epoch " + std::to_string(order().epoch(cursor) + 1) + ", "
                             + std::to_string(batch.size) + " examples, first row "
                             + std::to_string(rows.empty() ? -1 : rows.front())
                             + ") is not finite (loss "
                             + std::to_string(std::isnan(loss_) ? std::fabs(loss_) : loss_) // "nan"
                             + "); lower the learning rate, clip the gradient or look at that row");
  if (!finite && options_.nan == NanPolicy::skip) {
    result.skipped = true;
  } else { // other readers keep the old parameters
    const auto size = static_cast<std::size_t>(layout().size());
    gradient_.prepare_update();
    const BlockStep next{parameters_};
    StepInParts step{*optimizer_, {next.before(), size}, {next.after(), size}};
    gradient_.apply_to(step);
    untrained_.put({next.after(), size});
  }
  return result;
}

} // namespace troupe
