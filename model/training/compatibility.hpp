#pragma once

#include "base/text/enum_names.hpp"
#include "model/training/model.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// Compares the inputs and targets of a model and a problem before the first batch.
///
/// Inputs: the problem has each one of the model's, with its type, number of dimensions and sizes;
/// any_size on either side fits. Target, the problem's first one: a loss that compares number by
/// number needs the prediction's type and shape; a loss on classes needs class indices of one
/// dimension less than the prediction, and no more classes than its last dimension.
/// @returns a sentence for each mismatch, with both shapes and the cure; none if they fit
template <class Scalar>
std::vector<std::string> mismatches_of(const DataSpec& problem, const BasicModel<Scalar>& model);

/// How to treat inputs and targets of a problem that neither model nor loss uses: often a name was
/// mistyped.
enum class UnusedSources : std::uint8_t {
  raise, ///< training does not start
  warn,
  ignore,
};
constexpr auto enum_names(UnusedSources) { return name_list("raise", "warn", "ignore"); }

/// @returns the names of the problem's unused fields, inputs first; the loss uses the first target
std::vector<std::string> unused_sources(const DataSpec& problem,
                                        const std::vector<FieldSpec>& inputs);

} // namespace troupe
