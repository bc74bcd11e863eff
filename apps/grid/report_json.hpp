// A grid's report as JSON, and as the page that shows it.
#pragma once

#include "apps/grid/report.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace troupe {

/// The members of GET /api/grids/ID (docs/reference/dashboard-api.md), but for the ids of the grid
/// and its runs: ranks, axes, and of each run its score and its curves. Numbers that are not finite
/// are null. The same report gives the same JSON.
nlohmann::json report_json(const GridReport& report);

/// The page of a report as one file that works from a disk.
std::string report_page(const GridReport& report);

} // namespace troupe
