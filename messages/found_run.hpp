#pragma once

#include "troupe/messages/saved_run.hpp"

namespace troupe {

/// What people have to know of a run that was found: why newer states cannot be used, and which one
/// is. Nothing where the newest is whole.
std::vector<std::string> warnings_of(const FoundRun& found);

} // namespace troupe
