#pragma once

#include "messages/parameters/parameters.hpp"

namespace troupe {

/// Finds the elements that a selection of `parameter` names.
///
/// @param offsets gets their offsets in the block, last axis fastest, elements in their order
/// @param shape gets the shape of the selected part
/// @returns why the selection is invalid (an index out of range or given twice, a wrong number of
/// axes) as a sentence; "" if it is valid.
std::string select(const Parameter& parameter, const Selection& selection,
                   std::vector<Index>& offsets, Shape& shape);

} // namespace troupe
