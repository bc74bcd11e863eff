// What a session is given, and what it comes to.
#pragma once

#include "actors/checkpoint/run_writer.hpp"
#include "apps/process/interrupts.hpp"
#include "apps/run_config/run_config.hpp"
#include "messages/checkpoint/saved_run.hpp"
#include "messages/cluster/cluster.hpp"
#include "messages/evaluation/evaluation.hpp"
#include "model/training/model.hpp"

#include <caf/actor_system.hpp>

#include <filesystem>
#include <functional>
#include <memory>

namespace troupe {

struct SessionOptions {
  bool console = true;  ///< lines and progress on standard error; false: only warnings, in a file
  bool progress = true; ///< the progress line among them
  Level level = Level::info;
  std::filesystem::path folder; ///< of the run; it exists, unless `files` is off
  bool files = true; ///< whether its log and the console's lines go to files in that folder
  std::optional<SavedRun> resume;
  std::shared_ptr<const Model> model = {}; ///< of the configuration; null: it makes one
  RunWriter writer = {};               ///< of its states; null: it creates one, which has a thread
  std::optional<ControlTrust> control; ///< if the configuration has remote control
  // For a process that trains in a cluster:
  /// A worker's connection to the cluster's holders; empty: there is only this process.
  std::function<RemoteHolder(WorkerId worker, const Logger& logger)> connection_to_holder;
  WorkerId first_worker = 0;            ///< number of this process's first worker
  WorkerId all_workers = 0;             ///< in the cluster; 0: those of this process
  double step_duration = 0;             ///< seconds per batch under virtual time
  std::shared_ptr<BlockPark> park = {}; ///< of learners under virtual time; null: none
  std::function<void()> begins = {};    ///< called after all checks have passed
};

/// The state that was saved as the best, if the results are about it instead of the last one.
struct TestedState {
  std::string file; ///< in the run's folder
  Position position;
};

/// How a run ended, over all workers.
struct SessionResult {
  std::vector<Finished> finished;      ///< by worker
  Outcome outcome = Outcome::finished; ///< the worst of them
  bool asked_to_end = false;           ///< it was interrupted
  std::string reason;
  std::string status;  ///< in the terms of the configured `trainer`; "": there is none
  Snapshot parameters; ///< shared or worker 0's; those of the best state if `best` is set
  std::optional<TestedState> best;
  std::optional<Evaluated> test; ///< of the test section, if there is one and training did not fail
  SavedRun state;
};

} // namespace troupe
