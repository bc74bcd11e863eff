// troupe log: prints the logs of runs, of one worker or of all of a cluster.
#pragma once

#include <string>
#include <vector>

namespace CLI { // NOLINT(readability-identifier-naming): the library's
class App;
}

namespace troupe {

struct LogCommand {
  std::vector<std::string> runs; ///< as `find_logs` takes them
  std::string store;             ///< look for the runs in this store; "": they are folders or files
  bool merge = false; ///< the rows of all logs in the order of time; else one log after the other
  std::vector<std::string>
    records;        ///< only rows with one of these, and of them only these; {}: all
  bool csv = false; ///< a line for each record, with fixed columns; else rows as they were written
  bool lineage = false; ///< the starts of the runs instead of their rows
  bool json = false;    ///< with lineage or a store's list: a line of JSON each
  bool follow = false;  ///< and then rows as they come, until the runs have ended or Ctrl-C
};

void add_log(CLI::App& app, LogCommand& command);

/// Lines that are damaged or half written are left out, with one warning on standard error. Without
/// runs, but with a store, it prints what logs the store has.
/// @returns the exit code of the program. @throws IoError where there is no log; UsageError.
int print_logs(const LogCommand& command);

} // namespace troupe
