// What every extension of Troupe understands, besides the events of the loop.
//
//   composition root               extension                  checkpoint
//     | ---- RestoreExtension ------> |                             |   before Start
//     | <--- Restored --------------- |                             |
//     |                               | <--- SaveExtension -------- |   after the events so far
//     |                               | ---- SavedExtension ------> |
//     | ---- Drain -----------------> |                             |   after training
//     | <--- Drained ---------------- |                             |
#pragma once

#include "messages/loop/loop.hpp"
#include "messages/loop/saved_fields.hpp"

namespace troupe {

/// Asks an extension to finish what it has in flight (evaluations, lines to print).
struct Drain {
  TROUPE_FIELDS();
};
/// Nothing is in flight any more.
struct Drained {
  TROUPE_FIELDS();
};

/// Asks for the state that an extension needs to continue as if nothing had happened. The request
/// queues in its mailbox after the earlier events of the loop, so the answer belongs to exactly
/// that moment; the extension first waits for what it has in flight.
struct SaveExtension {
  TROUPE_FIELDS();
};

/// The state at the moment of the request.
struct SavedExtension {
  SavedFields state; ///< empty if nothing has to be remembered
  TROUPE_FIELDS(state);
};

/// Continues from a saved state at the next Start. Missing names keep their defaults.
struct RestoreExtension {
  SavedFields state; ///< as SavedExtension had it
  TROUPE_FIELDS(state);
};

/// A handle to an extension serves as Observer and as Gate.
using Extension
  = caf::typed_actor<caf::reacts_to<LoopEvent>, caf::replies_to<AskGate>::with<GateAnswer>,
                     caf::replies_to<Drain>::with<Drained>,
                     caf::replies_to<SaveExtension>::with<SavedExtension>,
                     caf::replies_to<RestoreExtension>::with<Restored>>;

} // namespace troupe
