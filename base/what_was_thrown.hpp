#pragma once

#include <string>

namespace troupe {

/// What the exception that is being handled says, also where it is no std::exception.
/// @pre inside a catch block
std::string what_was_thrown();

} // namespace troupe
