#pragma once

#include "troupe/model/model.hpp"

#include <string>
#include <vector>

namespace troupe {

/// Compares what a model needs with what a problem gives, before the first batch.
///
/// Inputs: each one of the model is there, with its type, number of dimensions and sizes; any_size
/// on either side fits. Target, the problem's first one: a loss that compares number by number
/// needs the prediction's type and shape; a loss on classes needs class indices of one dimension
/// less than the prediction, and no more classes than its last size.
/// @returns a sentence for each misfit, with both shapes and the cure; none where they fit.
template <class Scalar>
std::vector<std::string> handshake(const DataSpec& problem, const BasicModel<Scalar>& model);

} // namespace troupe
