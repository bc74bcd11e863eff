// A run, from spawning its actors to dismissing them, step by step.
#pragma once

#include "actors/control/control.hpp"
#include "actors/run_actors.hpp"
#include "apps/session/session_extensions.hpp"
#include "apps/session/session_options.hpp"
#include "apps/session/worker_ends.hpp"
#include "apps/transport/control_listener.hpp"
#include "messages/requests/caller.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// Call prepare(), start the trainers of actors(), then call wait_for_ends() and conclude(). It
/// blocks: for main() and tests only.
class Session {
public:
  /// Spawns the actors. `config` and `options` must outlive it. @throws ConfigError, IoError
  Session(caf::actor_system& system, const RunConfig& config, const SessionOptions& options,
          std::shared_ptr<const Problem> problem);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Resumes a saved run if there is one, and attaches the extensions. @throws ConfigError, Failure
  void prepare();
  const RunActors& actors() const { return actors_; }
  /// Receives each worker's end.
  WorkerEnds ends() const;
  /// The actors to register for interrupts: several workers end together, so that the run can
  /// resume from one common point.
  std::vector<Stoppable> stoppable() const;
  /// Returns once all workers have ended.
  void wait_for_ends();
  /// Waits for the extensions, measures the result, and collects what the run leaves.
  /// @throws Failure if a needed actor does not answer.
  SessionResult conclude();

private:
  void compose();
  void restore();
  void set_abandoned_best_aside();
  WorkerId all_workers() const;
  void begin_control();
  void open_control(const std::string& token);
  void close_control();
  void add(Finished finished);
  void stop_others(const Finished& failed);
  void take_states();
  void take_shared();
  void take_best();
  void test();
  Snapshot shared_parameters();

  caf::actor_system& system_;
  Caller self_;
  const RunConfig& config_;
  const SessionOptions& options_;
  std::shared_ptr<const Problem> problem_;
  Layout layout_;
  std::shared_ptr<const Model> model_; ///< to be cloned
  RunActors actors_;
  caf::actor saver_;
  RunControl control_;
  std::optional<ControlListener> listener_;
  RunWriter writer_;
  std::string log_; ///< id of the run's log
  std::optional<SessionExtensions> extensions_;
  SessionResult result_;
};

/// Trains one configuration in this process, from spawning the actors to dismissing them. It blocks:
/// for main() and tests only.
/// @throws ConfigError, Failure if it cannot start; a failed training is a result.
/// @param problem of the configuration, already loaded
SessionResult run_session(caf::actor_system& system, const RunConfig& config,
                          const SessionOptions& options, std::shared_ptr<const Problem> problem,
                          Interrupts& interrupts);

/// Threads for the actors of so many workers: one for each trainer that can run at once, and one
/// for all other actors, so that none waits behind a batch.
std::size_t threads_for(WorkerId workers);

} // namespace troupe
