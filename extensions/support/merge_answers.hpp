#pragma once

#include "messages/loop/loop_event.hpp"

#include <string>

namespace troupe {

/// Merges a child's answer into those of earlier children. The last answer wins: by name for
/// records, settings and timelines, as a whole for parameters and gradient. Training ends if one of
/// them asks for it, with all the reasons.
void merge(GateAnswer& whole, GateAnswer part, const std::string& child);

} // namespace troupe
