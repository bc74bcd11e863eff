// The composition root: spawns the actors of a run and connects them. Only this file decides where
// an actor runs.
#pragma once

#include "actors/log/logger.hpp"
#include "actors/loop/trainer.hpp"
#include "messages/cluster/cluster.hpp"
#include "messages/evaluation/evaluation.hpp"
#include "messages/quiesce/quiescence.hpp"
#include "messages/timing/timing.hpp"
#include "model/device/device_learner.hpp"
#include "model/training/run_keys.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace troupe {

/// What is trained, by how many workers, and how.
struct RunActorsOptions {
  std::shared_ptr<const Problem> problem; ///< shared by all actors; must not be null
  std::shared_ptr<const Model> model;     ///< cloned for each trainer and the evaluator
  /// Called once for each trainer
  std::function<std::unique_ptr<Optimizer>(Index size)> make_optimizer;
  BatchOrderOptions order;   ///< batch size, shuffle, drop_last; the rest follows from the workers
  LearnerOptions learner;    ///< the same for each trainer; its noise follows from the seed
  WorkerId workers = 1;      ///< trainers in this process
  WorkerId first_worker = 0; ///< number of the first one in the cluster
  WorkerId all_workers = 0;  ///< in the cluster; 0: those of this process
  /// Spawns a worker's remote holder; null: a holder is spawned in this process if several workers
  /// need it.
  std::function<RemoteHolder(WorkerId worker, const Logger& logger)> connection_to_holder;
  std::uint64_t seed = 0; ///< of initial parameters, order and noise
  /// Where each worker is expected to end, to show progress; 0: unknown.
  Epoch epochs = 0;
  Step batches = 0;                       ///< as `epochs`, in batches
  double seconds = 0;                     ///< as `epochs`, in seconds
  LoggerOptions logger;                   ///< where the log goes
  double used_seconds = 0;                ///< by earlier runs
  double slice = 0.002;                   ///< seconds; see TrainerOptions
  double step_duration = 0;               ///< seconds; see TrainerOptions
  std::function<CoreUse()> core_use = {}; ///< see TrainerOptions
  Index threads = 1;                      ///< of each trainer; see SplitModel
  /// The graphics card that trains; nothing: the processor does.
  std::optional<DeviceLearnerOptions> card = {};
  Step ahead = 0; ///< batches that each trainer's loader prepares; 0: no loaders
};

/// The actors of a run. They live until `dismiss`.
struct RunActors {
  Logger logger;         ///< of the run
  Evaluator evaluator;   ///< on the same problem and model
  Timer timer;           ///< counts from `used_seconds`
  LocalHolder holder;    ///< spawned for this run; null: none
  Quiescence quiescence; ///< of all trainers, if they have a holder of their own
  RunStopper stopper;    ///< of all workers of the run; null: there is only one worker
  std::vector<ParameterHolder> holders; ///< of each trainer: `holder`, or its remote holder
  std::vector<Trainer> trainers;        ///< first_worker first
  std::vector<Loader> loaders;          ///< of each trainer; empty: none
};

/// Spawns logger, evaluator, timer, one trainer per worker (with its loader if it has one), each on
/// its shard with the same initial parameters, and for several workers a parameter holder.
/// @throws std::invalid_argument if problem, model and options do not match or one is missing, and
/// for several workers if the problem shuffles by itself; then nothing was spawned.
RunActors spawn_run_actors(caf::actor_system& system, const RunActorsOptions& options);

/// Ends every actor of the run; otherwise cycles of handles would keep them alive.
void dismiss(const RunActors& actors);

/// The order of batches of one worker; uses problem, order, seed and workers of `options`. @throws
/// std::invalid_argument as BatchOrder does.
BatchOrder batch_order(const RunActorsOptions& options, WorkerId worker);

/// Checks that each worker has a batch to train on and that their shards do not overlap; uses the
/// same options as batch_order.
/// @throws std::invalid_argument
void check_shares(const RunActorsOptions& options);

/// The learner of one worker, as its trainer gets it.
std::shared_ptr<Learner> make_learner(const RunActorsOptions& options, WorkerId worker);

} // namespace troupe
