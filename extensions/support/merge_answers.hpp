#pragma once

#include "messages/loop/loop_event.hpp"

#include <string>

namespace troupe {

/// Adds a child's answer to the answers of those before it: records, settings and timelines by name
/// and parameters and gradient as a whole are those of the last who gave them; training ends where
/// one asks for it, for all the reasons.
void merge(GateAnswer& whole, GateAnswer part, const std::string& child);

} // namespace troupe
