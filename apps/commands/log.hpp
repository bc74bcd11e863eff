// troupe log: prints the logs of runs, for one worker or all workers of a cluster.
#pragma once

#include "apps/log_printing/row_formatter.hpp"

#include <string>
#include <vector>

namespace CLI { // NOLINT(readability-identifier-naming): the library's
class App;
}

namespace troupe {

struct LogCommand {
  std::vector<std::string> runs; ///< as `find_logs` takes them
  std::string store;             ///< look up the runs in this store; "": they are folders or files
  std::string copy_to;           ///< copy the logs into this store instead of printing; "": print
  std::string mlflow;            ///< write the runs for MLflow into this folder; "": print
  bool merge = false;   ///< the rows of all logs sorted by time; else one log after the other
  RowFormat rows;       ///< which records are printed, and how
  bool lineage = false; ///< the starts of the runs instead of their rows
  bool json = false;    ///< with lineage or a store's list: JSON lines
  bool follow = false;  ///< then print new rows until the runs have ended or Ctrl-C
};

void add_log(CLI::App& app, LogCommand& command);

/// Skips damaged and half-written lines, with one warning on standard error. Without runs, but with
/// a store, it lists the logs of the store. With `copy_to` it adds to a store what that lacks, with
/// `mlflow` it writes files that MLflow reads.
/// @returns the exit code of the program. @throws IoError if there is no log; UsageError.
int print_logs(const LogCommand& command);

} // namespace troupe
