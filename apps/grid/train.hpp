// troupe grid train: trains the runs of a grid, and continues an earlier start.
#pragma once

#include "apps/grid/listener.hpp"
#include "apps/grid/plan.hpp"

#include <string>
#include <vector>

namespace troupe {

struct GridCommand {
  std::string action;               ///< train, test, analyze, run or node
  std::string file;                 ///< the grid's file
  std::vector<std::string> changes; ///< overrides of the file: "repetitions=2"
  bool quiet = false;               ///< print only the table
  bool failed = false;              ///< retry failed and refused runs
  std::uint32_t repeat = 1;         ///< number of tests of each run
  std::string output; ///< analyze: file for the table; "": results.csv in the grid's folder
  // Grids over several machines:
  GridTrust trust;
  std::string port_file; ///< grid: the port where nodes join is written to this file; "": none
  std::string connect;   ///< node: the grid's host:port
  std::string folder;    ///< node: path of the grid's folder on this machine; "": the grid's path
  std::vector<std::string> plugins; ///< node: plugins that runs may load
  std::int64_t at_once = 0;         ///< node: runs at the same time; 0 or less: one per processor
  double join_deadline = 60;        ///< node: seconds to keep trying to reach the grid
};

/// The name of the journal in a grid's folder.
inline constexpr const char* journal_file = "journal";

/// The plan of the grid that was started in its folder. @throws ConfigError if no grid or another
/// one was started there.
GridPlan started_plan(const GridCommand& command);

/// @returns the exit code of the program. @throws Failure if it cannot start.
int grid_train(const GridCommand& command);

/// The processors for runs at the same time: at most one for each run. @returns the processors'
/// numbers
std::vector<int> processors_for(std::int64_t at_once);
/// The number of threads for each run: fewer runs than processors share all of them.
std::size_t threads_per_run(std::size_t runs);
/// Checks that the process can have the threads of this many runs, besides the grid's `own`.
/// @throws Failure
void check_room_for_runs(std::size_t runs, std::size_t own);

} // namespace troupe
