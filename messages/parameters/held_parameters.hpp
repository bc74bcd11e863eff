// What the holders of a cluster keep, put together.
#pragma once

#include "messages/parameters/parameters.hpp"
#include "model/formats/named_parameters.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace troupe {

/// Whether all holders have applied the same whole pushes.
bool of_one_moment(const std::vector<SavedHolder>& holders);

/// The first holder whose parameters nobody has created yet, by shard. Of few parameters over many
/// holders some keep an empty range, which lacks nothing once the others have theirs.
std::optional<std::size_t> without_parameters(const std::vector<SavedHolder>& holders);

/// The parameters of a model, which they keep in the order of its layout; what they keep behind
/// them, such as optimizers' state, is left out. The metadata say version and pushes.
/// @param holders by shard, at least one
/// @throws DataError where they keep other parameters, with the first difference.
NamedParameters held_parameters(const std::vector<SavedHolder>& holders, const Layout& model);

} // namespace troupe
