#pragma once

#include <string>

namespace troupe {

/// This machine's name as it calls itself; "" if it has none.
std::string host_name();

} // namespace troupe
