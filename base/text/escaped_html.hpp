#pragma once

#include <string>
#include <string_view>

namespace troupe {

/// Text for elements and attributes of HTML and SVG: & < > " and ' become entities, control
/// characters, which XML does not allow, become spaces.
std::string escaped_html(std::string_view text);

} // namespace troupe
