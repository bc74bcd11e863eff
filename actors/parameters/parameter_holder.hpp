// Keeps the one authoritative copy of the parameters. Protocol: messages/parameters/parameters.hpp.
#pragma once

#include "messages/log/log.hpp"
#include "messages/parameters/parameter_store.hpp"
#include "messages/quiesce/quiescence.hpp"

namespace troupe {

struct ParameterHolderOptions {
  ParameterStoreOptions store;
  WorkerId workers = 0; ///< that the first round waits for; 0: those who have joined by then
  /// Seconds for which rounds wait for workers that others announced and that have not come yet.
  double join_grace = 60;
  Logger logger; ///< hears who comes, is lost and is waited for; may be null
};

/// Spawns a holder without parameters; the first worker to join and create gives it its layout and
/// values. It ends when nobody holds a handle to it any more, but not while a member has a lease, a
/// round is open or somebody waits for an answer: an exit message ends it there, and answers them
/// with an error.
OwnHolder spawn_parameter_holder(caf::actor_system& system, ParameterHolderOptions options = {});

} // namespace troupe
