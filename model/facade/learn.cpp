#include "model/facade/learn.hpp"

#include "base/config/make_component.hpp"
#include "model/data/streams.hpp"
#include "model/optimizers/optimizer_kind.hpp"
#include "model/training/host_learner.hpp"
#include "model/training/model_kind.hpp"
#include "model/training/run_keys.hpp"
#include "model/training/split_model.hpp"

#include <stdexcept>
#include <utility>

namespace troupe {

namespace {

BatchOrder order_of_learning(const Problem& problem, const LearnOptions& options) {
  BatchOrderOptions order{.examples = problem.size(Section::train),
                          .batch_size = options.batch_size,
                          .endless = problem.endless(),
                          .key = shuffle_key(options.seed, 0)};
  check_streams(problem.spec(), order);
  if (order.examples == 0)
    throw std::invalid_argument("problem '" + problem.name()
                                + "' has no example to train on; leave rows for training when you "
                                  "split the data");
  return BatchOrder{order};
}

HostLearner make_host_learner(const std::shared_ptr<const Problem>& problem,
                              std::unique_ptr<Model> model, const LearnOptions& options) {
  if (options.threads > 1)
    model = std::make_unique<SplitModel>(std::move(model), options.threads);
  const auto make = make_component(optimizer_kinds(), "optimizer", options.optimizer.section());
  auto optimizer = make(model->layout().size());
  auto learner_options = options.learner;
  learner_options.noise = noise_key(options.seed, 0);
  HostLearner learner{problem, std::move(model), std::move(optimizer),
                      order_of_learning(*problem, options), learner_options};
  learner.initialize(initial_parameters_key(options.seed));
  return learner;
}

/// @returns the mean loss over the epoch
double train_epoch(HostLearner& learner, Epoch epoch) {
  const auto batches = learner.order().batches_per_epoch();
  double loss = 0, weight = 0;
  for (auto batch = epoch * batches; batch < (epoch + 1) * batches; ++batch) {
    learner.read(batch);
    const auto step = learner.train(batch);
    loss += step.weight > 0 && !step.skipped ? step.loss * step.weight : 0;
    weight += step.skipped ? 0 : step.weight;
  }
  return weight > 0 ? loss / weight : 0;
}

/// @param learned makes the model of some parameters
template <class Learned>
LearnedModel learn_with(HostLearner& learner, const std::shared_ptr<const Problem>& problem,
                        const LearnOptions& options, const Learned& learned) {
  const auto validates = problem->size(Section::validation) > 0;
  for (Epoch epoch = 0; epoch < options.epochs; ++epoch) {
    EpochResult result{epoch + 1, train_epoch(learner, epoch), {}};
    if (!options.after_epoch)
      continue;
    if (validates)
      result.validation = learned(learner.parameters()).evaluate(problem, Section::validation);
    if (!options.after_epoch(result))
      break;
  }
  return learned(learner.parameters());
}

void check_given(const std::shared_ptr<const Problem>& problem) {
  if (!problem)
    throw std::invalid_argument("there is no problem to learn from (a null pointer); give one");
}

} // namespace

LearnedModel learn(const std::shared_ptr<const Problem>& problem, const LearnOptions& options) {
  check_given(problem);
  auto learner = make_host_learner(
    problem, make_component(model_kinds(), "model", options.model.section(), problem->spec()),
    options);
  return learn_with(learner, problem, options, [&](const Block& parameters) {
    return LearnedModel{options.model, problem->spec(), parameters};
  });
}

LearnedModel learn(const std::shared_ptr<const Problem>& problem, const Model& model,
                   const LearnOptions& options) {
  check_given(problem);
  auto learner = make_host_learner(problem, model.clone(), options);
  return learn_with(learner, problem, options, [&](const Block& parameters) {
    return LearnedModel{std::shared_ptr<Model>{model.clone()}, problem->spec(), parameters};
  });
}

} // namespace troupe
