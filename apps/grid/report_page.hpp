// The page of a grid's report.
#pragma once

#include "apps/grid/report.hpp"

namespace troupe {

/// A self-contained HTML file: the best run and the command that repeats it, curves, configurations
/// by rank, parallel coordinates, failed runs with their messages, and a table of all runs that can
/// be sorted by column. The same report gives the same page.
std::string report_page(const GridReport& report);

} // namespace troupe
