// Assembles a model's parameters from the saved holders of a cluster.
#pragma once

#include "messages/parameters/parameters.hpp"
#include "model/formats/named_parameters.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace troupe {

/// Whether all holders have applied the same whole pushes.
bool of_one_moment(const std::vector<SavedHolder>& holders);

/// The first shard whose parameters have not been created yet. If there are more holders than
/// blocks of parameters, some hold an empty range, which is complete once the others have theirs.
std::optional<std::size_t> without_parameters(const std::vector<SavedHolder>& holders);

/// The parameters of a model, which the holders keep in the order of its layout. What they keep
/// after them, such as optimizers' state, is left out. The metadata contain version and pushes.
/// @param holders by shard, at least one
/// @throws DataError if they hold other parameters, with the first difference.
NamedParameters held_parameters(const std::vector<SavedHolder>& holders, const Layout& model);

} // namespace troupe
