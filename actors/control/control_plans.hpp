#pragma once

#include "actors/control/control_job.hpp"
#include "actors/control/control_log.hpp"

#include <functional>
#include <map>

namespace troupe {

/// Has commands wait for exactly one batch: by a gate of their own at each trainer, which is asked
/// once.
class ControlPlans {
public:
  /// @param options outlive this
  /// @param perform called when the batch has come, with the job's part at one trainer
  void begin(ControlActor::pointer self, const ControlOptions& options, ControlLog log,
             std::function<void(const ControlJobPtr&)> perform);

  void plan(const ControlJobPtr& job);
  caf::typed_response_promise<GateAnswer> gate(const LoopEvent& event);
  /// The run is over: what still waits will never be done.
  void close();
  bool is_closed() const { return closed_; }
  /// Ends what was spawned and never attached: control itself ends.
  void abandon_all() const;

private:
  /// A gate that waits for its batch, to do a job at one trainer.
  struct Plan {
    ControlJobPtr job;
    SubscriptionId subscription = 0;
    bool begun = false;
  };

  void plan_at(const ControlJobPtr& job, std::size_t trainer, std::function<void()> then);
  void subscribe(const ControlJobPtr& job, std::size_t trainer, std::function<void()> then);
  void conclude(ControlJob& job);
  void drop_parts(const ControlJob& job);
  void drop(std::uint64_t number, std::size_t trainer);
  bool waits(std::uint64_t number) const; ///< its batch has not come

  ControlActor::pointer self_ = nullptr;
  const ControlOptions* options_ = nullptr;
  ControlLog log_;
  std::function<void(const ControlJobPtr&)> perform_;
  std::map<std::uint64_t, Plan> plans_;
  std::uint64_t made_ = 0;
  bool closed_ = false;
};

} // namespace troupe
