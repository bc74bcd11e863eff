// How all workers of a process come to a quiescence at a consistent cut (Chandy & Lamport,
// "Distributed snapshots", 1985): each between two batches, no push under way, so that the states
// of workers and holder that are taken then belong together.
//
//   checkpoint             quiescence                 trainers              holder
//     | -- RequestQuiescence ----> |                          |                   |
//     |                         | -- Quiesce ---------> |                   |
//     | <-- QuiescenceRequested -- |                          |                   |
//     | -- AwaitQuiescence ---> | <--- Quiesced ---------- |                   |
//     |                         | -- AwaitHeldUp ----------------------------> |
//     |                         | <--- HeldUp -------------------------------- |
//     |                         | -- Quiesce{1} ------> |  who stands, for others to be answered
//     | <- QuiescenceReached -- | <--- Quiesced ---------- |                   |
//     |   takes the states      |                          |                   |
//     | -- EndQuiescence -----> | -- LeaveQuiescence -------------> |                   |
//     |                         | -- EndQuiescence --------------------------> |  if it owes
//     |                         | <--- HeldUp{} ------------------------------ |  an answer
//
// A worker whose push waits for the others (a round, or a bound on staleness) cannot stand between
// two batches before they have pushed, too. So whoever stands goes on batch by batch until nobody
// waits.
#pragma once

#include "messages/parameters/parameters.hpp"

#include <vector>

namespace troupe {

/// From now on all trainers come to stand, until as many EndQuiescence have come as calls, each
/// from whoever called; one that was lost ends its own.
struct RequestQuiescence {
  FIELDS();
};
/// Each has been told so: none begins another batch without need.
struct QuiescenceRequested {
  FIELDS();
};
struct AwaitQuiescence {
  FIELDS();
};
struct QuiescenceReached {
  FIELDS();
};
struct EndQuiescence {
  FIELDS();
};

/// Asks a holder to say when workers wait for others: for their round, or because they are too far
/// ahead.
struct AwaitHeldUp {
  FIELDS();
};
struct HeldUp {
  std::vector<WorkerId> workers; ///< that wait now; none: the quiescence for which it asked is over
  FIELDS(workers);
};

/// A holder in the process of its workers. An answer that it owes would keep the quiescence, and
/// this the holder: EndQuiescence ends the waiting for it.
using OwnHolder = ParameterHolder::extend<caf::replies_to<AwaitHeldUp>::with<HeldUp>,
                                          caf::reacts_to<EndQuiescence>>;

/// Stop, sent here, ends all trainers at one quiescence; after the epoch, all after the same one.
/// StopAll does so after the batch. Pause holds them all there, Advance after so many batches of
/// each, and more of those for whom another one waits; both answer then. Resume lets all go on.
using Quiescence
  = caf::typed_actor<caf::replies_to<RequestQuiescence>::with<QuiescenceRequested>,
                     caf::replies_to<AwaitQuiescence>::with<QuiescenceReached>,
                     caf::reacts_to<EndQuiescence>, caf::reacts_to<Stop>, caf::reacts_to<StopAll>,
                     caf::replies_to<Pause>::with<QuiescenceReached>,
                     caf::replies_to<Advance>::with<QuiescenceReached>, caf::reacts_to<Resume>>;

} // namespace troupe
