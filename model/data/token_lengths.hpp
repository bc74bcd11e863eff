#pragma once

#include "base/types.hpp"

#include <span>
#include <vector>

namespace troupe {

/// The length of each sequence of tokens: up to its last token that is not masked_class, after
/// which there is only padding. 0 if all of it is padding.
///
/// @param tokens [any, places], row-major
/// @param lengths one per row, overwritten; its memory is reused
template <class Scalar>
void token_lengths(std::span<const Scalar> tokens, Index places, std::vector<Index>& lengths);

} // namespace troupe
