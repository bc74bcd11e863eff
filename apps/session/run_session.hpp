#pragma once

#include "actors/checkpoint/run_writer.hpp"
#include "apps/config/run_config.hpp"
#include "apps/process/interrupts.hpp"
#include "messages/checkpoint/saved_run.hpp"
#include "messages/cluster/cluster.hpp"
#include "messages/evaluation/evaluation.hpp"

#include <caf/actor_system.hpp>

#include <filesystem>
#include <functional>

namespace troupe {

struct SessionOptions {
  bool console = true;  ///< lines and progress on standard error; false: warnings in a file alone
  bool progress = true; ///< the progress line among them
  Level level = Level::info;
  std::filesystem::path folder; ///< of the run; it exists
  std::optional<SavedRun> resume;
  RunWriter writer = {};               ///< of its states; null: one of its own, which has a thread
  std::optional<ControlTrust> control; ///< where the configuration has remote control
  // Of a process that trains in a cluster:
  /// A worker's way to the cluster's holders; none: this process is all there is.
  std::function<RemoteHolder(WorkerId worker, const Logger& logger)> connection_to_holder;
  WorkerId first_worker = 0;         ///< number of this process's first worker
  WorkerId all_workers = 0;          ///< in the cluster; 0: those of this process
  double step_duration = 0;          ///< seconds that a batch lasts under virtual time
  std::function<void()> begins = {}; ///< called when nothing can be refused any more
};

/// The state that was kept as the best, where the results are about it and not about the last one.
struct TestedState {
  std::string file; ///< in the run's folder
  Position position;
};

/// How a run ended, over all workers.
struct SessionResult {
  std::vector<Finished> finished;      ///< by worker
  Outcome outcome = Outcome::finished; ///< the worst of them
  bool asked_to_end = false;           ///< somebody has interrupted it
  std::string reason;
  std::string status; ///< in the words of the trainer that the configuration names; "": it has none
  Snapshot parameters; ///< the shared ones, or worker 0's; of the best state where `best` is given
  std::optional<TestedState> best;
  std::optional<Evaluated>
    test; ///< of the test section, where there is one and training did not fail
  SavedRun state;
};

/// Trains one configuration in this process, from the cast's spawning to its dismissal. It blocks;
/// main() and tests only.
/// @throws ConfigError, Failure for what cannot begin; a run that fails on its way is a result.
/// @param problem of the configuration, already loaded
SessionResult run_session(caf::actor_system& system, const RunConfig& config,
                          const SessionOptions& options, std::shared_ptr<const Problem> problem,
                          Interrupts& interrupts);

/// Threads for the actors of so many workers: one for each trainer that can run at once, and one
/// for everybody else, so that nobody waits behind a batch.
std::size_t threads_for(WorkerId workers);

} // namespace troupe
