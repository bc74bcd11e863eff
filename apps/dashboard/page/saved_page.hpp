// A report as one file that works from a disk.
#pragma once

#include <string>

namespace troupe {

/// The page that shows a grid, with styles, modules and data in it: it loads nothing.
/// @param data JSON as GET /api/grids/ID answers it
std::string saved_page(const std::string& title, const std::string& data);

} // namespace troupe
