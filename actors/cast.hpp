// The composition root: spawns the actors of a run and wires them to each other. Where an actor
// runs is decided here and nowhere else.
#pragma once

#include "actors/log/logger.hpp"
#include "actors/loop/trainer.hpp"
#include "messages/cluster/cluster.hpp"
#include "messages/evaluation/evaluation.hpp"
#include "messages/quiesce/quiescence.hpp"
#include "messages/timing/timing.hpp"
#include "model/training/learner.hpp"

#include <functional>
#include <vector>

namespace troupe {

struct CastOptions {
  std::shared_ptr<const Problem> problem;
  std::shared_ptr<const Model> model; ///< cloned for each trainer and the evaluator
  std::function<std::unique_ptr<Optimizer>(Index size)> make_optimizer;
  BatchOrderOptions order; ///< batch size, shuffle, drop_last; the rest follows from the workers
  LearnerOptions learner;
  WorkerId workers = 1;      ///< trainers in this process
  WorkerId first_worker = 0; ///< number of the first of them in the cluster
  WorkerId all_workers = 0;  ///< in the cluster; 0: those of this process
  /// Spawns a worker's way to the cluster's holders; none: a holder is spawned where several
  /// workers need it.
  std::function<RemoteHolder(WorkerId worker, const Logger& logger)> connection_to_holder;
  std::uint64_t seed = 0;
  /// Where each worker is expected to end, for progress; 0: not known.
  Epoch epochs = 0;
  Step batches = 0;
  double seconds = 0;
  LoggerOptions logger;
  double used_seconds = 0;  ///< of earlier runs
  double slice = 0.002;     ///< seconds; see TrainerOptions
  double step_duration = 0; ///< seconds; see TrainerOptions
  Index threads = 1;        ///< of each trainer; see SplitModel
  Step ahead = 0;           ///< batches that each trainer's loader prepares; 0: none has one
};

struct Cast {
  Logger logger;
  Evaluator evaluator;
  Timer timer;
  OwnHolder holder;      ///< spawned for this cast; null where it has none of its own
  Quiescence quiescence; ///< of all trainers, where they have a holder of their own
  RunStopper stopper;    ///< of all workers of the run; null: there is one
  std::vector<ParameterHolder> holders; ///< of each trainer: that one, or its way to the cluster's
  std::vector<Trainer> trainers;        ///< first_worker first
  std::vector<Loader> loaders;          ///< of each trainer, where they have them
};

/// Spawns logger, evaluator, timer, one trainer per worker, with its loader where it has one, each
/// on its shard with the same first parameters, and for several workers a parameter holder.
/// @throws std::invalid_argument where problem, model and options do not fit or one is missing, and
/// for several workers where the problem shuffles by itself; nothing was spawned then.
Cast spawn_cast(caf::actor_system& system, const CastOptions& options);

/// Sends every actor of the cast home; handles in circles would keep them for ever.
void dismiss(const Cast& cast);

/// Which rows make up the batches of one worker; of `options` it takes problem, order, seed and
/// workers. @throws std::invalid_argument as BatchOrder does.
BatchOrder batch_order(const CastOptions& options, WorkerId worker);

/// That each worker has a batch to train on, and that their shares do not overlap; of `options` it
/// takes what batch_order takes.
/// @throws std::invalid_argument
void check_shares(const CastOptions& options);

/// The learner of one worker, as the cast gives it to a trainer.
std::shared_ptr<Learner> make_learner(const CastOptions& options, WorkerId worker);

/// The random numbers of a run's parts.
RandomKey initial_parameters_key(std::uint64_t seed);
RandomKey shuffle_key(std::uint64_t seed, WorkerId worker);
RandomKey noise_key(std::uint64_t seed, WorkerId worker); ///< of what training draws (dropout)

} // namespace troupe
