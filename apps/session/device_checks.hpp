// The graphics card that a configuration asks for, checked before a run's folder is made.
#pragma once

#include "actors/run_actors.hpp"
#include "apps/run_config/run_config.hpp"

#include <optional>

namespace troupe {

/// The card of `training.device`; "cuda" is the one that `troupe launch --devices` gave to this
/// process, otherwise the first. Nothing: the processor trains.
/// @throws ConfigError for an unknown device
std::optional<DeviceLearnerOptions> card_options(const TrainingOptions& training);

/// @param options with the problem and the optimizer
/// @throws ConfigError (78) for a model, loss or option that a card cannot compute; Failure with
/// `unavailable` (69) where the library, the driver or the card is missing, too old or too full
void check_device(const RunActorsOptions& options, const Model& model);

} // namespace troupe
