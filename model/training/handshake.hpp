#pragma once

#include "model/training/model.hpp"

#include <string>
#include <string_view>
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

/// What becomes of inputs and targets of a problem that neither model nor loss uses: often a name
/// was mistyped.
enum class UnusedSources : std::uint8_t {
  raise, ///< training does not begin
  warn,
  ignore,
};

std::string to_string(UnusedSources policy);
bool from_text(std::string_view text, UnusedSources& policy); ///< false for an unknown word

/// @returns the names of the problem's fields that are not used, inputs first; the loss uses the
/// first target.
std::vector<std::string> unused_sources(const DataSpec& problem,
                                        const std::vector<FieldSpec>& inputs);

} // namespace troupe
