// Starts the workers of one process, and collects their ends.
#pragma once

#include "actors/run_actors.hpp"
#include "apps/session/session_options.hpp"

#include <functional>

namespace troupe {

/// Receives each worker's end, in the order of arrival.
using WorkerEnds = caf::typed_actor<caf::reacts_to<Finished>>;

/// Starts the run's trainers. A trainer that was lost counts as failed. A worker that has ended
/// leaves its holder, so that no round waits for it: its sync also does that, but not if the
/// trainer was lost, or training ended at once. Returns once all Start messages are sent: a Stop
/// that is sent next then arrives after them.
/// @param first number of the first worker
void start_workers(caf::actor_system& system, const WorkerEnds& ends, const RunActors& actors,
                   WorkerId first);

/// The same without waiting: `sent` is called on another thread once all Start messages are sent.
void tell_to_start(caf::actor_system& system, const WorkerEnds& ends, const RunActors& actors,
                   WorkerId first, std::function<void()> sent);

/// Determines how the run has ended, once all workers have: sorts them by number, and finds the
/// worst outcome and its reason. The reason of a failure stays: later failures may be consequences
/// of it.
void judge(SessionResult& result);

} // namespace troupe
