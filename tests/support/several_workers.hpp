// Workers that share parameters in one process, like in a run, in virtual time. Their speeds depend
// on the seed, so that they interleave differently with another seed.
#pragma once

#include "actors/checkpoint/run_writer.hpp"
#include "actors/parameters/parameter_holder.hpp"
#include "actors/quiesce/quiescence.hpp"
#include "extensions/saving/checkpoint.hpp"
#include "extensions/sync/shared_params_auto_sync.hpp"
#include "model/training/host_learner.hpp"
#include "tests/support/extension_stage.hpp"
#include "tests/support/program.hpp"

#include <random>

namespace troupe::test {

struct SeveralWorkersOptions {
  WorkerId workers = 2;
  ParameterSyncOptions sync = {};
  Step every = 3; ///< batches between two syncs
  std::uint64_t seed = 1;
  Step batches = 23; ///< of each worker
  CheckpointOptions checkpoint = {};
};

class SeveralWorkers {
public:
  SeveralWorkers(SeveralWorkersOptions options, const std::filesystem::path& folder)
    : options_(options) {
    ParameterHolderOptions of_holder;
    of_holder.workers = options.workers;
    holder = world.keep(spawn_parameter_holder(world.system, of_holder));
    std::mt19937_64 random{options.seed};
    for (WorkerId worker = 0; worker < options.workers; ++worker)
      add(worker, static_cast<double>(random() % 16 + 4) / 8);
    quiescence = world.keep(spawn_quiescence(world.system, {trainers, holder, {}}));
    for (const auto& trainer : trainers)
      world.self->send(trainer, EndTogether{quiescence});
    CheckpointSources sources;
    sources.trainers = trainers;
    sources.holder = holder;
    sources.logger = logger;
    sources.writer = world.keep(spawn_scheduled_run_writer(world.system));
    sources.folder = folder.string();
    sources.quiescence = quiescence;
    sources.stopper = quiescence;
    checkpoint = world.keep(spawn_checkpoint(world.system, options.checkpoint, std::move(sources)));
    AddParticipants syncs_too;
    for (std::size_t i = 0; i < syncs.size(); ++i)
      syncs_too.extensions.push_back({"sync@" + std::to_string(i), syncs[i]});
    world.self->send(checkpoint, syncs_too);
    world.run();
  }

  void save_at(const Conditions& conditions, const std::string& name = "checkpoint") {
    gate(0, name, conditions, caf::actor_cast<Gate>(checkpoint), Shows::nothing);
  }

  /// An extension of the main worker ends the run after so many of its batches.
  void end_all_at(std::int64_t batches, const std::string& reason) {
    const auto finish = world.keep(spawn_finish_after(world.system, reason));
    SubscribeGate gate{"end of all", trigger("after_n_batches", Value{batches}),
                       caf::actor_cast<Gate>(finish)};
    gate.main_only = true;
    REQUIRE(world.ask<Subscribed>(trainers.front(), gate));
  }

  void restore(const SavedRun& run) {
    REQUIRE(world.ask<Joined>(holder, RestoreHolder{*run.shared}));
    for (std::size_t i = 0; i < trainers.size(); ++i) {
      REQUIRE(world.ask<Restored>(trainers[i], Restore{run.trainers.at(i)}));
      const auto state = run.extensions.find("sync@" + std::to_string(i));
      if (state != run.extensions.end())
        REQUIRE(world.ask<Restored>(syncs[i], RestoreExtension{state->second}));
    }
  }

  /// The state after the end, as a session writes it.
  SavedRun state() {
    SavedRun run;
    for (std::size_t i = 0; i < trainers.size(); ++i) {
      run.trainers.push_back(*world.ask<SavedTrainer>(trainers[i], Save{}));
      run.extensions["sync@" + std::to_string(i)]
        = world.ask<SavedExtension>(syncs[i], SaveExtension{})->state;
    }
    run.shared = *world.ask<SavedHolder>(holder, SaveHolder{});
    return run;
  }

  void start() {
    for (const auto& trainer : trainers)
      pending_.emplace_back(world, trainer, Start{});
    world.run();
  }
  bool ended() const {
    return std::all_of(pending_.begin(), pending_.end(),
                       [](const auto& one) { return one.answered(); });
  }
  /// @returns how each worker has ended, by worker.
  std::vector<Finished> finish() {
    for (auto i = 0; !ended() && i < 2000; ++i)
      world.advance(125ms);
    std::vector<Finished> all;
    for (const auto& one : pending_) {
      REQUIRE(one.answered());
      all.push_back(*one);
    }
    return all;
  }
  std::vector<Finished> run() {
    start();
    return finish();
  }

  Block shared() { return world.ask<Parameters>(holder, Pull{0})->values; }
  Status status(WorkerId worker) { return *world.ask<Status>(trainers[worker], GetStatus{}); }

  DeterministicSystem world;
  Logger logger = world.keep(spawn_logger(world.system));
  LocalHolder holder;
  std::vector<Trainer> trainers;
  std::vector<Extension> syncs;
  Quiescence quiescence;
  Checkpoint checkpoint;

private:
  void add(WorkerId worker, double step_duration) {
    const auto problem = std::make_shared<ToyProblem>(95);
    BatchOrderOptions order;
    order.examples = 95;
    order.batch_size = 5;
    order.shards = options_.workers;
    order.shard = worker;
    order.key = RandomKey{7}.derive(worker);
    const SgdOptions sgd{.learning_rate = 1e-4f, .momentum = 0.9};
    const auto learner = std::make_shared<HostLearner>(problem, std::make_unique<ToyModel>(),
                                                       make_optimizer(sgd, 1), BatchOrder{order});
    TrainerOptions of_trainer;
    of_trainer.worker = worker;
    of_trainer.step_duration = step_duration;
    trainers.push_back(world.keep(spawn_trainer(world.system, learner, logger, of_trainer)));
    syncs.push_back(world.keep(spawn_shared_params_auto_sync(
      world.system, options_.sync, holder, learner->layout(), HolderFate::saved_with_run)));
    auto conditions = shared_params_auto_sync_conditions();
    if (options_.sync.rule.name == "gradient_average")
      conditions.set_trigger("before_update", true);
    else
      conditions.set_trigger("every_n_batches", Value{static_cast<std::int64_t>(options_.every)});
    gate(worker, "sync", conditions, caf::actor_cast<Gate>(syncs.back()), shows_for(options_.sync));
    gate(worker, "finish",
         trigger("after_n_batches", Value{static_cast<std::int64_t>(options_.batches)}),
         caf::actor_cast<Gate>(world.keep(spawn_finish_after(world.system, "it is enough"))),
         Shows::nothing);
  }

  void gate(WorkerId worker, const std::string& name, const Conditions& conditions,
            const Gate& gate, Shows shows) {
    REQUIRE(
      world.ask<Subscribed>(trainers[worker], SubscribeGate{name, conditions, gate, shows, 3600}));
  }

  SeveralWorkersOptions options_;
  std::vector<Pending<Finished>> pending_;
};

} // namespace troupe::test
