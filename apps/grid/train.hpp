// troupe grid train: trains the runs of a grid, and goes on where a former start was ended.
#pragma once

#include "apps/grid/listener.hpp"
#include "apps/grid/plan.hpp"

#include <string>
#include <vector>

namespace troupe {

struct GridCommand {
  std::string act;                  ///< train, test, analyze, run or node
  std::string file;                 ///< the grid's
  std::vector<std::string> changes; ///< of the file: "repetitions=2"
  bool quiet = false;               ///< nothing but the table
  bool failed = false;              ///< runs that have failed or were refused are tried again
  std::uint32_t repeat = 1;         ///< tests of each run
  std::string output;               ///< of analyze; "": results.csv in the grid's folder
  // Of grids over several machines:
  GridTrust trust;
  std::string port_file;     ///< of the grid: written with the port where nodes join; "": none
  std::string connect;       ///< of a node: the grid's host:port
  std::string folder;        ///< of a node: the grid's folder as its machine sees it; "": as there
  std::int64_t at_once = 0;  ///< of a node: runs at once; 0 or less: one for each processor
  double join_deadline = 60; ///< of a node: seconds for which a grid that is away is looked for
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
std::vector<int> members_of(std::int64_t at_once);
/// The seats of fewer runs than processors share what is left over.
std::size_t threads_of_each(std::size_t seats);
/// That the process gets the threads that so many runs at once take, beside `own` of the grid.
/// @throws Failure
void check_room_for_runs(std::size_t seats, std::size_t own);

} // namespace troupe
