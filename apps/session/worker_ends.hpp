// How the workers of one process are started, and how they have ended.
#pragma once

#include "actors/cast.hpp"
#include "apps/session/run_session.hpp"

#include <functional>

namespace troupe {

/// Hears of each worker's end, in the order in which they come.
using WorkerEnds = caf::typed_actor<caf::reacts_to<Finished>>;

/// Starts the cast's trainers. A trainer that was lost has failed. Whoever has ended leaves its
/// holder, so that no round waits for it: its sync says so, too, but not where it was lost, or
/// where training ended at once. Returns once all have been told to start: a Stop that is sent next
/// comes behind it, and is not lost on a trainer that does not train yet.
/// @param first number of the first of them
void start_workers(caf::actor_system& system, const WorkerEnds& ends, const Cast& cast,
                   WorkerId first);

/// The same, and waits for nothing: `told` is called once all have been told, by another thread.
void tell_to_start(caf::actor_system& system, const WorkerEnds& ends, const Cast& cast,
                   WorkerId first, std::function<void()> told);

/// How the run has ended, once all have: puts them in the order of their numbers, and finds the
/// worst outcome and its reason. Those of a failure stay: what fails later may follow from it.
void judge(SessionResult& result);

} // namespace troupe
