// Holds the authoritative copy of the parameters. Protocol: messages/parameters/parameters.hpp.
#pragma once

#include "messages/log/log.hpp"
#include "messages/parameters/parameter_store.hpp"
#include "messages/quiesce/quiescence.hpp"

namespace troupe {

/// Which workers a holder waits for, and which it admits.
struct ParameterHolderOptions {
  ParameterStoreOptions store = {}; ///< who may join, and how often parameters change
  WorkerId workers = 0; ///< that the first round waits for; 0: those that have joined by then
  /// Seconds that rounds wait for workers that others announced and that have not joined yet.
  double join_grace = 60;
  Logger logger
    = {}; ///< gets reports about workers that join, are lost and are waited for; may be null
};

/// Spawns a holder without parameters; the first worker to join and create sets layout and values.
/// It ends with its last handle, but not while a member has a lease, a round is open or a request
/// waits for an answer: then an exit message ends it, and answers these with an error.
LocalHolder spawn_parameter_holder(caf::actor_system& system, ParameterHolderOptions options = {});

} // namespace troupe
