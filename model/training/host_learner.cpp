#include "model/training/host_learner.hpp"

#include "model/optimizers/clipping.hpp"
#include "model/tensor/block_park.hpp"
#include "model/tensor/block_step.hpp"
#include "model/tensor/compute_scope.hpp"
#include "model/tensor/finite_numbers.hpp"
#include "model/tensor/thread_pool_scope.hpp"
#include "model/training/batch_statistics.hpp"
#include "model/training/split_model.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace troupe {

HostLearner::HostLearner(std::shared_ptr<const Problem> problem, std::unique_ptr<Model> model,
                         std::unique_ptr<Optimizer> optimizer, BatchOrder order,
                         LearnerOptions options)
  : Learner(std::move(problem), std::move(model), std::move(optimizer), std::move(order),
            std::move(options)),
    gradient_(layout().size()) {
  parameters_ = Block{layout().size()};
  untrained_ = UntrainedElements{layout()};
  if (auto* split = dynamic_cast<SplitModel*>(model_.get()))
    pool_ = &split->pool();
  find_sources();
}

void HostLearner::find_sources() {
  if (!options_.statistics)
    return;
  const auto* split = dynamic_cast<const SplitModel*>(model_.get());
  const auto& whole = split != nullptr ? split->whole() : *model_;
  sources_ = statistics_sources(this->problem(), whole);
}

void HostLearner::set_parameters(Block parameters) {
  check_size("block", parameters.size());
  parameters_ = options_.park ? options_.park->park(parameters) : std::move(parameters);
  begun_ = true;
}

void HostLearner::release_step() {
  read_ = {};
  gradient_ = BatchGradient{layout().size()};
  if (options_.park) {
    parameters_ = options_.park->park(parameters_);
    auto slots = optimizer_->slots();
    for (auto& slot : slots)
      slot.values = options_.park->park(slot.values);
    optimizer_->restore(optimizer_->steps(), std::move(slots));
  }
  if (pool_ != nullptr || problem().spec().streams > 0) // it has threads, or carries a state
    return;
  model_ = model_->clone();
  find_sources();
}

/// Without parameters, training would go on from zeros, which most models never leave.
void HostLearner::check_begun() const {
  if (!begun_)
    throw std::logic_error("the learner of model '" + model_->name()
                           + "' has no parameters yet; call initialize(key) or set_parameters() "
                             "before it trains");
}

void HostLearner::read(Step cursor) {
  gradient_.discard_batch();
  reader_.read(cursor, read_);
}

ReadBatch HostLearner::use(ReadBatch batch) {
  gradient_.discard_batch();
  if (!batch.error.empty())
    throw std::runtime_error(batch.error);
  std::swap(read_, batch);
  return batch;
}

void HostLearner::compute_gradient(Step cursor, bool kept) {
  check_begun();
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

void HostLearner::collect_statistics() {
  statistics_ = statistics_of_batch(sources_, *model_, parameters_.view(), read_.batch);
}

void HostLearner::set_gradient(std::span<const float> gradient) {
  check_size("gradient", static_cast<Index>(gradient.size()));
  std::copy(gradient.begin(), gradient.end(), gradient_.begin().begin());
  given_gradient_ = true;
}

// A finite loss may have a gradient that is not finite: after an overflow, or for a root at 0.
// Reading all of it takes 2 to 3 % of a step, which is worth it where the parameters must stay good
// for the next batch. With NanPolicy::stop the edges suffice: what they miss shows in the next
// loss.
bool HostLearner::clip() {
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

bool HostLearner::looks_finite() {
  if (options_.nan == NanPolicy::skip || given_gradient_)
    return all_finite(gradient_.whole());
  return options_.nan != NanPolicy::stop || gradient_.looks_finite(layout());
}

bool HostLearner::updates_need_whole_gradient() const {
  const auto& [element, norm, parameter_norm] = options_.clipping;
  return element > 0 || norm > 0 || parameter_norm > 0 || options_.nan == NanPolicy::skip
         || options_.nan == NanPolicy::remove || !untrained_.empty();
}

StepResult HostLearner::update(Step cursor) {
  ComputeScope scope;
  const ThreadPoolScope threads{pool_};
  const auto& batch = read_.batch;
  const auto& rows = read_.rows;
  StepResult result{loss_, batch.size, weight_, false};
  if (!untrained_.empty())
    untrained_.take(parameters_.view(), gradient_.whole());
  const auto finite = clip() && (given_gradient_ || std::isfinite(loss_));
  if (!finite && options_.nan == NanPolicy::stop)
    refuse_not_finite(cursor, loss_, batch.size, rows.empty() ? -1 : rows.front());
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
