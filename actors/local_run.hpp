// A run in a program: its actors end with it, whatever the program throws.
//
//   LocalRun run{options};
//   run.add_gate({"plateau", Conditions{}.set_trigger("after_epoch", true), spawn_gate(run.system(), look)});
//   const auto finished = run.train();
#pragma once

#include "actors/run_actors.hpp"

#include <caf/fwd.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace troupe {

/// The actors of a run, in an actor system of its own or in that of the program. All functions
/// block, and serve one thread. They throw Failure with the sentence of what has failed; an
/// exception that leaves the scope of a run ends its actors, so that none keeps the system alive.
class LocalRun {
public:
  /// In an actor system of its own. @throws as spawn_run_actors
  explicit LocalRun(const RunActorsOptions& options);
  /// In a system with Troupe's messages (add_messages), which outlives the run.
  LocalRun(caf::actor_system& system, const RunActorsOptions& options);
  ~LocalRun();
  LocalRun(const LocalRun&) = delete;
  LocalRun& operator=(const LocalRun&) = delete;

  /// In which its actors live.
  caf::actor_system& system();
  /// For messages to them.
  const RunActors& actors() const;

  /// From now on a trainer asks the gate. @param trainer its place in actors().trainers
  SubscriptionId add_gate(const SubscribeGate& gate, std::size_t trainer = 0);
  /// From now on a trainer sends copies to the observer.
  SubscriptionId add_observer(const Subscribe& observer, std::size_t trainer = 0);
  /// Ends a subscription. @returns the number of copies that the observer has missed
  std::uint64_t remove(SubscriptionId id, std::size_t trainer = 0);

  /// All trainers begin; returns at once.
  void start();
  /// Waits for the end of all trainers, and until the log is written.
  /// @returns the ends, in the order of actors().trainers. @throws Failure if training failed
  std::vector<Finished> wait();
  /// start() and wait().
  std::vector<Finished> train();

  /// The metrics of some parameters on a section of the problem, by name.
  std::map<std::string, double> evaluate(const Snapshot& parameters,
                                         Section section = Section::test);
  /// A row of the log, once it is complete.
  Records row(Step batch, WorkerId worker = 0);

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace troupe
