// The page of a grid's report.
#pragma once

#include "apps/grid/report.hpp"

namespace troupe {

/// An HTML file that needs no other: the best run and the command that repeats it, curves,
/// configurations by rank, parallel coordinates, runs that have failed with their sentence, and all
/// runs in a table that a click on a column's name sorts. The same for the same report.
std::string report_page(const GridReport& report);

} // namespace troupe
