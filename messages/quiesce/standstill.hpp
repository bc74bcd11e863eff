// How all workers of a process come to a standstill at a consistent cut (Chandy & Lamport,
// "Distributed snapshots", 1985): each between two batches, no push under way, so that the states
// of workers and holder that are taken then belong together.
//
//   checkpoint             standstill                 trainers              holder
//     | -- CallStandstill ----> |                          |                   |
//     |                         | -- StandStill ---------> |                   |
//     | <-- StandstillCalled -- |                          |                   |
//     | -- AwaitStandstill ---> | <--- Standing ---------- |                   |
//     |                         | -- AwaitHeldUp ----------------------------> |
//     |                         | <--- HeldUp -------------------------------- |
//     |                         | -- StandStill{1} ------> |  who stands, for others to be answered
//     | <- StandstillReached -- | <--- Standing ---------- |                   |
//     |   takes the states      |                          |                   |
//     | -- EndStandstill -----> | -- MoveOn -------------> |                   |
//     |                         | -- EndStandstill --------------------------> |  if it owes
//     |                         | <--- HeldUp{} ------------------------------ |  an answer
//
// A worker whose push waits for the others (a round, or a bound on staleness) cannot stand between
// two batches before they have pushed, too. So whoever stands goes on batch by batch until nobody
// waits.
#pragma once

#include "messages/parameters/parameters.hpp"

#include <vector>

namespace troupe {

/// From now on all trainers come to stand, until as many EndStandstill have come as calls, each
/// from whoever called; one that was lost ends its own.
struct CallStandstill {
  FIELDS();
};
/// Each has been told so: none begins another batch without need.
struct StandstillCalled {
  FIELDS();
};
struct AwaitStandstill {
  FIELDS();
};
struct StandstillReached {
  FIELDS();
};
struct EndStandstill {
  FIELDS();
};

/// Asks a holder to say when workers wait for others: for their round, or because they are too far
/// ahead.
struct AwaitHeldUp {
  FIELDS();
};
struct HeldUp {
  std::vector<WorkerId> workers; ///< that wait now; none: the standstill for which it asked is over
  FIELDS(workers);
};

/// A holder in the process of its workers. An answer that it owes would keep the standstill, and
/// this the holder: EndStandstill ends the waiting for it.
using OwnHolder = ParameterHolder::extend<caf::replies_to<AwaitHeldUp>::with<HeldUp>,
                                          caf::reacts_to<EndStandstill>>;

/// Stop, sent here, ends all trainers at one standstill; after the epoch, all after the same one.
/// StopAll does so after the batch. Pause holds them all there, Advance after so many batches of
/// each, and more of those for whom another one waits; both answer then. Resume lets all go on.
using Standstill
  = caf::typed_actor<caf::replies_to<CallStandstill>::with<StandstillCalled>,
                     caf::replies_to<AwaitStandstill>::with<StandstillReached>,
                     caf::reacts_to<EndStandstill>, caf::reacts_to<Stop>, caf::reacts_to<StopAll>,
                     caf::replies_to<Pause>::with<StandstillReached>,
                     caf::replies_to<Advance>::with<StandstillReached>, caf::reacts_to<Resume>>;

} // namespace troupe
