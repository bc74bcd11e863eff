#include "actors/run_actors.hpp"

#include "actors/evaluation/evaluator.hpp"
#include "actors/loop/loader.hpp"
#include "actors/parameters/parameter_holder.hpp"
#include "actors/quiesce/quiescence.hpp"
#include "actors/timing/timer.hpp"
#include "messages/wire/type_ids.hpp"
#include "model/data/repeatable_rows.hpp"
#include "model/data/streams.hpp"
#include "model/device/device_model.hpp"
#include "model/device/devices.hpp"
#include "model/training/host_learner.hpp"
#include "model/training/split_model.hpp"

#include <caf/actor_system.hpp>
#include <caf/send.hpp>

#include <algorithm>
#include <stdexcept>

namespace troupe {

namespace {

BatchOrderOptions order_of(const RunActorsOptions& options, WorkerId worker) {
  auto order = options.order;
  order.examples = options.problem->size(Section::train);
  order.endless = options.problem->endless();
  order.shards = std::max(options.all_workers, options.workers);
  order.shard = worker;
  order.key = shuffle_key(options.seed, worker);
  return order;
}

/// @throws std::invalid_argument if a part of the run is missing.
void check_parts(const RunActorsOptions& options) {
  const auto* missing = !options.problem          ? "problem"
                        : !options.model          ? "model"
                        : !options.make_optimizer ? "make_optimizer"
                                                  : nullptr;
  if (missing != nullptr)
    throw std::invalid_argument(std::string{"RunActorsOptions have no "} + missing
                                + "; set problem, model and make_optimizer");
}

/// Sharding comes before any randomness, otherwise shards overlap.
void check_rows(const RunActorsOptions& options) {
  const auto workers = std::max(options.all_workers, options.workers);
  if (workers > 1 && !has_repeatable_rows(*options.problem))
    throw std::invalid_argument(
      "'" + options.problem->name()
      + "' gives different examples when the same rows are requested again, so that the shards of "
      + std::to_string(workers)
      + " workers overlap; let its gather depend on section and rows alone, and leave the order to "
        "training.shuffle");
}

} // namespace

BatchOrder batch_order(const RunActorsOptions& options, WorkerId worker) {
  return BatchOrder{order_of(options, worker)};
}

void check_shares(const RunActorsOptions& options) {
  for (auto worker = options.first_worker; worker < options.first_worker + options.workers;
       ++worker)
    if (batch_order(options, worker).batches_per_epoch() == 0)
      throw std::invalid_argument(
        "worker " + std::to_string(worker) + " of "
        + std::to_string(std::max(options.all_workers, options.workers))
        + " has no batch to train on: '" + options.problem->name() + "' has "
        + std::to_string(options.problem->size(Section::train))
        + " training examples for all of them; use fewer workers, a smaller batch_size or "
          "drop_last: false");
  check_rows(options);
}

std::shared_ptr<Learner> make_learner(const RunActorsOptions& options, WorkerId worker) {
  check_parts(options);
  const auto order = order_of(options, worker);
  check_streams(options.problem->spec(), order);
  auto model = options.model->clone();
  if (!model)
    throw std::invalid_argument("clone() of model '" + options.model->name()
                                + "' returns a null pointer; let it return a copy");
  if (options.threads > 1)
    model = std::make_unique<SplitModel>(std::move(model), options.threads);
  auto optimizer = options.make_optimizer(model->layout().size());
  auto learner_options = options.learner;
  learner_options.noise = noise_key(options.seed, worker);
  std::shared_ptr<Learner> learner;
  if (options.card)
    learner = std::make_shared<DeviceLearner>(options.problem, std::move(model),
                                              std::move(optimizer), BatchOrder{order},
                                              learner_options, *options.card, begin_device_run);
  else
    learner = std::make_shared<HostLearner>(options.problem, std::move(model), std::move(optimizer),
                                            BatchOrder{order}, learner_options);
  learner->initialize(initial_parameters_key(options.seed));
  if (learner_options.park)
    learner->release_step(); // the optimizer's slots are as large as those of one that computes
  return learner;
}

RunActors spawn_run_actors(caf::actor_system& system, const RunActorsOptions& options) {
  if (options.workers == 0)
    throw std::invalid_argument("workers is 0; training needs at least one");
  check_parts(options);
  check_shares(options); // first, because learners for a thousand workers take gigabytes
  std::vector<std::shared_ptr<Learner>> learners;
  for (WorkerId worker = 0; worker < options.workers; ++worker)
    learners.push_back(make_learner(options, options.first_worker + worker));

  std::shared_ptr<Model> measured = options.model->clone();
  EvaluatorOptions evaluator;
  if (options.card) {
    measured = std::make_shared<DeviceModel>(*measured, *options.card, begin_device_run);
    evaluator.uncounted_batch_size = measured->examples_at_once();
  }

  RunActors actors;
  actors.logger = spawn_logger(system, options.logger);
  actors.evaluator = spawn_evaluator(system, options.problem, std::move(measured), evaluator);
  actors.timer = spawn_timer(system, options.used_seconds);
  if (!options.connection_to_holder && options.workers > 1) {
    ParameterHolderOptions holder;
    holder.logger = actors.logger;
    holder.workers = options.workers;
    actors.holder = spawn_parameter_holder(system, std::move(holder));
  }
  for (WorkerId worker = 0; worker < options.workers; ++worker) {
    TrainerOptions trainer;
    trainer.worker = options.first_worker + worker;
    trainer.slice = options.slice;
    trainer.epochs = options.epochs;
    trainer.batches = options.batches;
    trainer.seconds = options.seconds;
    trainer.step_duration = options.step_duration;
    trainer.core_use = options.core_use;
    if (options.ahead > 0 && learners[worker]->reads_batches()) {
      trainer.ahead = options.ahead;
      trainer.loader = spawn_loader(system, learners[worker]->reader());
      actors.loaders.push_back(trainer.loader);
    }
    actors.trainers.push_back(spawn_trainer(system, learners[worker], actors.logger, trainer));
    if (options.connection_to_holder) {
      const auto remote = options.connection_to_holder(trainer.worker, actors.logger);
      caf::anon_send(remote, Watch{actors.trainers.back()});
      caf::anon_send(actors.trainers.back(), EndTogether{remote});
      actors.stopper = remote;
      actors.holders.push_back(remote);
    } else if (actors.holder) {
      actors.holders.push_back(actors.holder);
    }
  }
  if (actors.holder) {
    actors.quiescence = spawn_quiescence(system, {actors.trainers, actors.holder, actors.logger});
    actors.stopper = actors.quiescence;
    for (const auto& trainer : actors.trainers)
      caf::anon_send(trainer, EndTogether{actors.quiescence});
  }
  return actors;
}

void dismiss(const RunActors& actors) {
  const auto end_actor = [](const auto& actor) {
    if (actor)
      caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
  };
  end_actor(actors.quiescence);
  for (const auto& trainer : actors.trainers)
    end_actor(trainer);
  for (const auto& loader : actors.loaders)
    end_actor(loader);
  for (const auto& holder : actors.holders)
    end_actor(holder);
  end_actor(actors.timer);
  end_actor(actors.evaluator);
  end_actor(actors.logger);
}

} // namespace troupe
