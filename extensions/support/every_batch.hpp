// For extensions that need every batch, though they act at a few moments only.
#pragma once

#include "messages/schedule/condition.hpp"

namespace troupe {

inline constexpr const char* silent_firing
  = "aggregate only"; ///< the argument of a firing to look at only

/// Adds a silent firing after each batch to the conditions of `commits`. Subscribe the extension as
/// a gate then: an observer may lose copies.
Conditions with_every_batch(const Conditions& commits);

} // namespace troupe
