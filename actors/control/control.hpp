// Controls a run while it trains. Protocol: messages/control/control.hpp.
#pragma once

#include "actors/control/control_options.hpp"

namespace troupe {

/// A command without `at=` is executed when the trainer next handles messages, between two batches.
/// A command with `at=N` is executed by a gate after exactly that batch, so the run's result does
/// not depend on when the command was sent. Each command is reported on the console and in the
/// record `control` of its row. Control answers SaveExtension and adds the extensions that it
/// attaches to the checkpoints.
///
/// It holds the handles in its options, and their actors may hold its handle: end it with an exit
/// message. The extensions that it attached end with it.
RunControl spawn_control(caf::actor_system& system, ControlOptions options);

} // namespace troupe
