// The rungs of successive halving, as limits of a trial.
#pragma once

#include "base/config/node.hpp"
#include "messages/schedule/position.hpp"

namespace troupe {

/// The unit of a trial's rungs: episodes for online training, else epochs.
enum class RungUnit : std::uint8_t { epochs, episodes };

std::string to_string(RungUnit unit); ///< "epochs", "episodes"

RungUnit rung_unit(const config::Node& settings);

/// Limits the trial to the rung; a trainer's other terminal conditions may end it earlier.
/// @param rung in the trial's unit, from its start
void end_at_rung(config::Node& settings, Epoch rung);

} // namespace troupe
