// Makes losses by name.
#pragma once

#include "model/losses/loss.hpp"

#include <memory>
#include <string>
#include <vector>

namespace troupe {

std::vector<std::string> loss_names();

/// @throws std::invalid_argument, listing the known names, for another name, and for options that
///         the loss does not have
template <class Scalar>
std::shared_ptr<const Loss<Scalar>> make_loss(const LossOptions& options);

} // namespace troupe
