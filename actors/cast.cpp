#include "actors/cast.hpp"

#include "actors/evaluation/evaluator.hpp"
#include "actors/loop/loader.hpp"
#include "actors/parameters/parameter_holder.hpp"
#include "actors/quiesce/quiescence.hpp"
#include "actors/timing/timer.hpp"
#include "messages/wire/type_ids.hpp"
#include "model/data/reread.hpp"
#include "model/data/streams.hpp"
#include "model/training/split_model.hpp"

#include <caf/actor_system.hpp>
#include <caf/send.hpp>

#include <algorithm>
#include <stdexcept>

namespace troupe {

RandomKey initial_parameters_key(std::uint64_t seed) {
  return RandomKey{seed}.derive("initial parameters");
}

RandomKey shuffle_key(std::uint64_t seed, WorkerId worker) {
  return RandomKey{seed}.derive("shuffle").derive(worker);
}

RandomKey noise_key(std::uint64_t seed, WorkerId worker) {
  return RandomKey{seed}.derive("noise").derive(worker);
}

namespace {

BatchOrderOptions order_of(const CastOptions& options, WorkerId worker) {
  auto order = options.order;
  order.examples = options.problem->size(Section::train);
  order.endless = options.problem->endless();
  order.shards = std::max(options.all_workers, options.workers);
  order.shard = worker;
  order.key = shuffle_key(options.seed, worker);
  return order;
}

/// @throws std::invalid_argument if a part of the run is missing.
void check_parts(const CastOptions& options) {
  const auto* missing = !options.problem          ? "problem"
                        : !options.model          ? "model"
                        : !options.make_optimizer ? "make_optimizer"
                                                  : nullptr;
  if (missing != nullptr)
    throw std::invalid_argument(std::string{"CastOptions have no "} + missing
                                + "; set problem, model and make_optimizer");
}

/// Sharding comes before any randomness, otherwise shards overlap.
void check_rows(const CastOptions& options) {
  const auto workers = std::max(options.all_workers, options.workers);
  if (workers > 1 && !rereads_equal(*options.problem))
    throw std::invalid_argument(
      "'" + options.problem->name()
      + "' gives different examples when the same rows are requested again, so that the shards of "
      + std::to_string(workers)
      + " workers overlap; let its gather depend on section and rows alone, and leave the order to "
        "training.shuffle");
}

} // namespace

BatchOrder batch_order(const CastOptions& options, WorkerId worker) {
  return BatchOrder{order_of(options, worker)};
}

void check_shares(const CastOptions& options) {
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

std::shared_ptr<Learner> make_learner(const CastOptions& options, WorkerId worker) {
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
  auto learner = std::make_shared<Learner>(options.problem, std::move(model), std::move(optimizer),
                                           BatchOrder{order}, learner_options);
  learner->initialize(initial_parameters_key(options.seed));
  return learner;
}

Cast spawn_cast(caf::actor_system& system, const CastOptions& options) {
  if (options.workers == 0)
    throw std::invalid_argument("workers is 0; training needs at least one");
  check_parts(options);
  check_shares(options); // first, because learners for a thousand workers take gigabytes
  std::vector<std::shared_ptr<Learner>> learners;
  for (WorkerId worker = 0; worker < options.workers; ++worker)
    learners.push_back(make_learner(options, options.first_worker + worker));

  Cast cast;
  cast.logger = spawn_logger(system, options.logger);
  cast.evaluator
    = spawn_evaluator(system, options.problem, std::shared_ptr<Model>{options.model->clone()});
  cast.timer = spawn_timer(system, options.used_seconds);
  if (!options.connection_to_holder && options.workers > 1) {
    ParameterHolderOptions holder;
    holder.logger = cast.logger;
    holder.workers = options.workers;
    cast.holder = spawn_parameter_holder(system, std::move(holder));
  }
  for (WorkerId worker = 0; worker < options.workers; ++worker) {
    TrainerOptions trainer;
    trainer.worker = options.first_worker + worker;
    trainer.slice = options.slice;
    trainer.epochs = options.epochs;
    trainer.batches = options.batches;
    trainer.seconds = options.seconds;
    trainer.step_duration = options.step_duration;
    if (options.ahead > 0) {
      trainer.ahead = options.ahead;
      trainer.loader = spawn_loader(system, learners[worker]->reader());
      cast.loaders.push_back(trainer.loader);
    }
    cast.trainers.push_back(spawn_trainer(system, learners[worker], cast.logger, trainer));
    if (options.connection_to_holder) {
      const auto remote = options.connection_to_holder(trainer.worker, cast.logger);
      caf::anon_send(remote, Watch{cast.trainers.back()});
      caf::anon_send(cast.trainers.back(), EndTogether{remote});
      cast.stopper = remote;
      cast.holders.push_back(remote);
    } else if (cast.holder) {
      cast.holders.push_back(cast.holder);
    }
  }
  if (cast.holder) {
    cast.quiescence = spawn_quiescence(system, {cast.trainers, cast.holder, cast.logger});
    cast.stopper = cast.quiescence;
    for (const auto& trainer : cast.trainers)
      caf::anon_send(trainer, EndTogether{cast.quiescence});
  }
  return cast;
}

void dismiss(const Cast& cast) {
  const auto end_actor = [](const auto& actor) {
    if (actor)
      caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
  };
  end_actor(cast.quiescence);
  for (const auto& trainer : cast.trainers)
    end_actor(trainer);
  for (const auto& loader : cast.loaders)
    end_actor(loader);
  for (const auto& holder : cast.holders)
    end_actor(holder);
  end_actor(cast.timer);
  end_actor(cast.evaluator);
  end_actor(cast.logger);
}

} // namespace troupe
