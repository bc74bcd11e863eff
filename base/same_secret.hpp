#pragma once

#include <string_view>

namespace troupe {

/// Compares two secrets in a time that does not depend on how much of them is equal.
bool same_secret(std::string_view a, std::string_view b);

} // namespace troupe
