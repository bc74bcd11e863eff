// How all workers of a process are quiesced at a consistent cut (Chandy & Lamport, "Distributed
// snapshots", 1985): each between two batches, without a push in flight, so that the states of
// workers and holder that are then taken belong together.
//
//   checkpoint                  quiescence                       trainers              holder
//     | -- RequestQuiescence -----> |                               |                   |
//     |                             | -- Quiesce -----------------> |                   |
//     | <-- QuiescenceRequested --- |                               |                   |
//     | -- AwaitQuiescence -------> | <--- Quiesced --------------- |                   |
//     |                             | -- AwaitBlockedWorkers -------------------------> |
//     |                             | <--- BlockedWorkers ----------------------------- |
//     |                             | -- Quiesce{1} --------------> |   those quiesced, so that
//     | <--- QuiescenceReached ---- | <--- Quiesced --------------- |   others get answers
//     |   takes the states          |                               |                   |
//     | -- EndQuiescence ---------> | -- LeaveQuiescence ---------> |                   |
//     |                             | -- EndQuiescence -------------------------------> |
//     |                             | <--- BlockedWorkers{} --------------------------- |   if pending
//
// A worker whose push waits for the others (a round, or a bound on staleness) cannot stop between
// two batches before they have pushed. So the workers that have stopped continue batch by batch
// until no worker waits.
#pragma once

#include "messages/parameters/parameters.hpp"

#include <vector>

namespace troupe {

/// From now on all trainers stop between two batches, until as many EndQuiescence as requests have
/// come, each from the requesting actor; an actor that is lost ends its own request.
struct RequestQuiescence {
  TROUPE_FIELDS();
};
/// Every trainer has been told: none begins another batch unless others wait for it.
struct QuiescenceRequested {
  TROUPE_FIELDS();
};
/// Asks when all trainers have stopped.
struct AwaitQuiescence {
  TROUPE_FIELDS();
};
/// All trainers have stopped between two batches, with nothing in flight.
struct QuiescenceReached {
  TROUPE_FIELDS();
};
/// Ends one request of the sender. Training continues when the last one has ended.
struct EndQuiescence {
  TROUPE_FIELDS();
};

/// Asks a holder to report when workers wait for others: for their round, or because they are too
/// far ahead.
struct AwaitBlockedWorkers {
  TROUPE_FIELDS();
};
/// Some workers wait for others at the holder.
struct BlockedWorkers {
  std::vector<WorkerId> workers; ///< that wait now; none: the quiescence that asked has ended
  TROUPE_FIELDS(workers);
};

/// A holder in the process of its workers. A pending answer of it would keep the quiescence alive,
/// and that the holder: EndQuiescence ends the waiting.
using LocalHolder
  = ParameterHolder::extend<caf::replies_to<AwaitBlockedWorkers>::with<BlockedWorkers>,
                            caf::reacts_to<EndQuiescence>>;

/// Stop, sent here, ends all trainers at one quiescence; after_epoch ends all after the same epoch.
/// StopAll does so after the batch. Pause holds all trainers, Advance after the given number of
/// batches of each, and more for those that others wait for; both answer when all are held. Resume
/// lets all continue.
using Quiescence
  = caf::typed_actor<caf::replies_to<RequestQuiescence>::with<QuiescenceRequested>,
                     caf::replies_to<AwaitQuiescence>::with<QuiescenceReached>,
                     caf::reacts_to<EndQuiescence>, caf::reacts_to<Stop>, caf::reacts_to<StopAll>,
                     caf::replies_to<Pause>::with<QuiescenceReached>,
                     caf::replies_to<Advance>::with<QuiescenceReached>, caf::reacts_to<Resume>>;

} // namespace troupe
