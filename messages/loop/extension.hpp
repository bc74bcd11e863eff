// What every extension that comes with Troupe understands, besides the events of the loop.
//
//   composition root               extension                  checkpoint
//     | ---- RestoreExtension ------> |                             |   before Start
//     | <--- Restored --------------- |                             |
//     |                               | <--- SaveExtension -------- |   behind the events so far
//     |                               | ---- SavedExtension ------> |
//     | ---- Drain -----------------> |                             |   after training
//     | <--- Drained ---------------- |                             |
#pragma once

#include "messages/loop/loop.hpp"

namespace troupe {

/// Asks an extension to bring to an end what it still has under way (evaluations, lines to print).
struct Drain {
  FIELDS();
};
struct Drained {
  FIELDS();
};

/// Asks for what an extension has to remember to go on as if nothing had happened. The request
/// stands in its mailbox behind the events of the loop that came before it, so that the answer
/// belongs to exactly that moment; what is under way then is waited for.
struct SaveExtension {
  FIELDS();
};

struct SavedExtension {
  Records state; ///< by name; empty where nothing has to be remembered
  FIELDS(state);
};

/// Goes on from a saved state at the next Start. Names that are missing keep their defaults.
struct RestoreExtension {
  Records state;
  FIELDS(state);
};

/// A handle to one serves as Observer and as Gate.
using Extension
  = caf::typed_actor<caf::reacts_to<LoopEvent>, caf::replies_to<AskGate>::with<GateAnswer>,
                     caf::replies_to<Drain>::with<Drained>,
                     caf::replies_to<SaveExtension>::with<SavedExtension>,
                     caf::replies_to<RestoreExtension>::with<Restored>>;

} // namespace troupe
