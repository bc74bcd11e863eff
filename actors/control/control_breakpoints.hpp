#pragma once

#include "actors/control/control_job.hpp"
#include "actors/control/control_log.hpp"
#include "messages/control/breakpoint.hpp"

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace troupe {

/// Pauses training after the batch that meets a breakpoint. While there are breakpoints, a gate
/// behind all others looks at each batch; for those on records it first waits for the observers,
/// which write most of them.
class ControlBreakpoints {
public:
  /// @param options, attached outlive this
  void begin(ControlActor::pointer self, const ControlOptions& options,
             const AttachedExtensions& attached, ControlLog log);

  /// Sets, removes or lists breakpoints, as the job's command says, then calls `then`.
  void set(const ControlJobPtr& job, const std::function<void()>& then);
  void remove(const ControlJobPtr& job, const std::function<void()>& then);
  void list(ControlJob& job) const;

  /// Whether the event is for this object's gate.
  static bool is_asked(const LoopEvent& event);
  caf::typed_response_promise<GateAnswer> gate(const LoopEvent& event);
  /// The log has got records: their names can be used from then on.
  void written(const Row& row);

private:
  /// The gates at all trainers, from the first breakpoint to the last one's end.
  struct Gates {
    std::vector<SubscriptionId> ids; ///< by trainer; 0: not subscribed yet
    bool ended = false;
  };

  std::string refusal(const Breakpoint& breakpoint) const;
  void subscribe(const ControlJobPtr& job, const std::function<void()>& then);
  void unsubscribe(std::size_t trainer, SubscriptionId id);
  void end_gates();
  void await_observers(std::size_t trainer, std::function<void()> then);
  void decide(const LoopEvent& event, std::size_t trainer, Records row);
  void pause_all(std::size_t trainer);

  ControlActor::pointer self_ = nullptr;
  const ControlOptions* options_ = nullptr;
  const AttachedExtensions* attached_ = nullptr;
  ControlLog log_;
  Breakpoints breakpoints_;
  std::shared_ptr<Gates> gates_; ///< null: there are none
  std::uint64_t made_ = 0;       ///< gates, for their names
  std::set<std::string> names_;  ///< of the log's records so far
};

} // namespace troupe
