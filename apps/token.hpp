// The words by which processes that belong together know each other.
#pragma once

#include <string>

namespace troupe {

/// 128 random bits from the operating system, in hexadecimal.
/// @throws Failure where it gives none.
std::string draw_token();

} // namespace troupe
