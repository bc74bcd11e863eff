// Chooses what a network learns from a problem: one input, one target, and the loss for them.
#pragma once

#include "model/losses/loss.hpp"

#include <memory>
#include <string>

namespace troupe {

/// The index, among the problem's inputs, of the one called `name`; "": the first.
/// @throws std::invalid_argument if there is none, or it does not consist of numbers
std::size_t find_input(const DataSpec& data, const std::string& name);

/// @throws std::invalid_argument if the problem has none or several
const FieldSpec& only_target(const DataSpec& data);

/// The loss that the options name; "auto": the one that fits the target.
/// @throws std::invalid_argument for an unknown loss, or one that does not fit the target
template <class Scalar>
std::shared_ptr<const Loss<Scalar>> choose_loss(LossOptions options, const FieldSpec& target);

} // namespace troupe
