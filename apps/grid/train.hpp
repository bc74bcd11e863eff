// troupe grid train: trains the runs of a grid, and goes on where a former start was ended.
#pragma once

#include "troupe/apps/grid/plan.hpp"

#include <string>
#include <vector>

namespace troupe {

struct GridCommand {
  std::string act;                  ///< train, test, analyze or run
  std::string file;                 ///< the grid's
  std::vector<std::string> changes; ///< of the file: "repetitions=2"
  bool quiet = false;               ///< nothing but the table
  std::uint32_t repeat = 1;         ///< tests of each run
  std::string output;               ///< of analyze; "": results.csv in the grid's folder
};

/// The name of the journal in a grid's folder.
inline constexpr const char* journal_file = "journal";

/// The plan of the grid that has been started in its folder. @throws ConfigError where none has, or
/// another.
GridPlan started_plan(const GridCommand& command);

/// @returns the exit code of the program. @throws Failure for what cannot begin.
int grid_train(const GridCommand& command);

/// So many runs at once as settings allow: at most one for each processor.
/// @returns the processors, by number
std::vector<int> seats_of(std::int64_t at_once);

} // namespace troupe
