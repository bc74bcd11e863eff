// Where the rungs of successive halving end a trial.
#pragma once

#include "base/config/node.hpp"
#include "messages/schedule/position.hpp"

namespace troupe {

/// By what a trial's training is measured: online training by its episodes, all other by epochs.
enum class RungUnit : std::uint8_t { epochs, episodes };

std::string to_string(RungUnit unit); ///< "epochs", "episodes"

RungUnit rung_unit(const config::Node& settings);

/// Lets the trial end at the rung, unless a trainer's other terminal conditions end it before.
/// @param rung in the trial's unit, from its beginning
void end_at_rung(config::Node& settings, Epoch rung);

} // namespace troupe
