// Where an extension is spawned: the actors of its run, and what is known of the run.
#pragma once

#include "extensions/support/logged_rows.hpp"
#include "messages/checkpoint/checkpoint.hpp"
#include "messages/evaluation/evaluation.hpp"
#include "messages/log/log.hpp"
#include "messages/loop/extension.hpp"
#include "messages/quiesce/quiescence.hpp"
#include "messages/timing/timing.hpp"
#include "model/data/problem.hpp"
#include "model/training/learner.hpp"

#include <memory>
#include <string>
#include <vector>

namespace troupe {

/// All that `spawn` of an extension may use.
struct ExtensionContext {
  caf::actor_system& system;                 ///< where it is spawned
  Logger logger = {};                        ///< of the run
  Evaluator evaluator = {};                  ///< of the run; null: none
  Timer timer = {};                          ///< of the run; null: none
  std::vector<Trainer> trainers = {};        ///< of this process, by worker
  std::vector<ParameterHolder> holders = {}; ///< each trainer's; empty if no parameters are shared
  LocalHolder local_holder = {};             ///< spawned by this process; null if it has none
  Quiescence quiescence = {};      ///< of all trainers, where they have a holder of their own
  RunStopper stopper = {};         ///< of all workers of the run; null: there is one
  Layout layout = {};              ///< of the parameters
  std::string folder = {};         ///< of the run
  RunWriter writer = {};           ///< for checkpoints
  std::string log = {};            ///< the id of the run's log
  NanPolicy nan = NanPolicy::stop; ///< what a trainer does at a loss that is not finite
  std::shared_ptr<const Problem> problem = {}; ///< what the run learns from
  std::shared_ptr<const Model> model = {};     ///< to be cloned
  LoggedRows logged_rows = {};                 ///< of earlier runs
  CheckpointNames checkpoint_names = {};       ///< of earlier runs

  WorkerId worker = 0;    ///< whose extension it is: its trainer, by number
  bool main_only = false; ///< the extension acts for all workers
  bool in_flight = false; ///< training runs already: before_training is over

  /// Of this worker.
  const Trainer& trainer() const { return trainers[worker]; }
  /// Null if no parameters are shared.
  ParameterHolder holder() const {
    return worker < holders.size() ? holders[worker] : ParameterHolder{};
  }
};

/// Where an extension of this worker writes its files: two must not write the same one.
inline std::string folder_of_worker(const ExtensionContext& context) {
  return context.worker == 0 ? context.folder
                             : context.folder + "/worker-" + std::to_string(context.worker);
}

} // namespace troupe
