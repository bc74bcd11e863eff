#pragma once

#include <string>

namespace troupe {

/// A field of a line of CSV: in quotes, with those inside doubled, where it has a comma, a quote or
/// a line's end (RFC 4180).
std::string csv_field(const std::string& text);

} // namespace troupe
