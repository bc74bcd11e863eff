#pragma once

#include "troupe/messages/parameters.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <functional>
#include <optional>

namespace troupe {

struct ParameterSyncOptions {
  float alpha = 0.5f;   ///< weighs the shared parameters: S <- alpha S + beta W; finite
  float beta = 0.5f;    ///< weighs this worker's; finite
  double deadline = 60; ///< seconds for an answer of the holder
  bool timing_log
    = false; ///< write param_sync_start, param_sync_end (seconds of the run), param_sync_duration
  FIELDS(alpha, beta, deadline, timing_log);
};

/// @throws std::invalid_argument for weights or a deadline that cannot be.
void check(const ParameterSyncOptions& options);

/// A worker's side of the parameter protocol: joins, creates or fetches, exchanges, leaves. The
/// extensions that sync decide when.
class ParameterSync {
public:
  ParameterSync(Extension::pointer self, ParameterSyncOptions options, ParameterHolder holder,
                Layout layout);

  /// Joins and makes the worker's parameters the settled ones: its own where it is the first.
  caf::typed_response_promise<GateAnswer> join(const LoopEvent& event);

  /// Pushes the worker's parameters and makes them the result. `done` hears begin and end on the
  /// actor's clock, seconds.
  caf::typed_response_promise<GateAnswer>
  exchange(const LoopEvent& event, std::function<void(double begin, double end)> done);

  void leave(const LoopEvent& event);

  double now() const;
  std::uint64_t exchanges() const { return number_; }

private:
  caf::timespan deadline() const;
  /// The holder's own sentence, or one that says that it did not answer.
  caf::error refusal(const std::string& request, const caf::error& error) const;

  Extension::pointer self_;
  ParameterSyncOptions options_;
  ParameterHolder holder_;
  Layout layout_;
  std::uint64_t incarnation_ = 0, number_ = 0;
  Version version_ = 0; ///< last seen
};

} // namespace troupe
