#pragma once

#include <string>

namespace troupe {

/// A field of a CSV line: if it contains a comma, a quote or a line end, it is quoted and its
/// quotes are doubled (RFC 4180).
std::string csv_field(const std::string& text);

} // namespace troupe
