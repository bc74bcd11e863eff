#pragma once

#include <string_view>

namespace troupe {

/// Whether two secrets are the same, in a time that does not tell how much of them is.
bool same_secret(std::string_view a, std::string_view b);

} // namespace troupe
