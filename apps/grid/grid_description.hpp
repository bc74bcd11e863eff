// grid.json in a grid's folder: its axes, trials and rungs, for readers that do not have its file.
#pragma once

#include "apps/grid/plan.hpp"

#include <string>

namespace troupe {

/// JSON with `by`, `better`, `unit`, `axes`, `rungs`, `repetitions` and `trials`.
std::string grid_description(const GridPlan& plan);

/// Halving promotes trials by the scores of the journal, which are of one record.
/// @throws ConfigError if the folder's trials were compared by another record, and the grid halves.
void check_same_score(const GridPlan& plan);

/// Writes it to the grid's folder. @throws IoError
void write_grid_description(const GridPlan& plan);

} // namespace troupe
