#pragma once

#include <string>

namespace troupe {

/// The message of the exception that is being handled, also if it is not a std::exception.
/// @pre inside a catch block
std::string exception_text();

} // namespace troupe
