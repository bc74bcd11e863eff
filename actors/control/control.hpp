// Lets people steer a run while it trains. Protocol: messages/control/control.hpp.
#pragma once

#include "actors/control/control_options.hpp"

namespace troupe {

/// Acts without `at=` are done as soon as the trainer listens, which is between two batches. Those
/// with `at=N` are done by a gate after exactly that batch, so that a run with them ends with the
/// same bits whenever they were asked for. Each is a line on the console and the record `_control`
/// of the row. It answers SaveExtension, and brings what it attaches into the checkpoints.
///
/// It holds the handles of its options and they may hold its own: end it by an exit message. What
/// it attached ends with it.
RunControl spawn_control(caf::actor_system& system, ControlOptions options);

} // namespace troupe
