// A run from the cast's spawning to its dismissal, step by step.
#pragma once

#include "actors/cast.hpp"
#include "actors/control/control.hpp"
#include "apps/process/caller.hpp"
#include "apps/session/run_session.hpp"
#include "apps/session/session_extensions.hpp"
#include "apps/session/worker_ends.hpp"
#include "apps/transport/control_listener.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// prepare(); then whoever has it starts the trainers of cast(); then wait_for_ends() and
/// conclude(). It blocks; main() and tests only.
class Session {
public:
  /// Spawns the cast. `config` and `options` must live as long. @throws ConfigError, IoError
  Session(caf::actor_system& system, const RunConfig& config, const SessionOptions& options,
          std::shared_ptr<const Problem> problem);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Goes on from a saved run, and attaches the extensions. @throws ConfigError, Failure
  void prepare();
  const Cast& cast() const { return cast_; }
  /// Hears of each worker's end.
  WorkerEnds ends() const;
  /// Who is to hear of interrupts: several workers end together, so that the run can go on from
  /// where all of them were.
  std::vector<Stoppable> stoppable() const;
  /// Returns once all workers have ended.
  void wait_for_ends();
  /// Waits for the extensions, measures what was trained, and puts together what the run leaves.
  /// @throws Failure where an actor that is needed for it is not there.
  SessionResult conclude();

private:
  void compose();
  template <class Answer, class Actor, class Request>
  Answer ask(const Actor& actor, const Request& request, caf::timespan deadline,
             const std::string& whom);
  void restore();
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
  Cast cast_;
  caf::actor saver_;
  RunControl control_;
  std::optional<ControlListener> listener_;
  RunWriter writer_;
  std::string log_; ///< the id of the run's log
  std::optional<SessionExtensions> extensions_;
  SessionResult result_;
};

} // namespace troupe
