// troupe log: prints the logs of runs, of one worker or of all of a cluster.
#pragma once

#include <string>
#include <vector>

namespace troupe {

struct LogCommand {
  std::vector<std::string> runs; ///< folders of runs or of launched clusters, or files; or "last"
  bool merge = false; ///< the rows of all logs in the order of time; else one log after the other
  std::string record; ///< only rows with this record, and of them only this; "": all
  bool csv = false; ///< a line for each record, with fixed columns; else rows as they were written
};

/// Lines that are damaged or half written are left out, with one warning on standard error.
/// @returns the exit code of the program. @throws IoError where there is no log.
int print_logs(const LogCommand& command);

} // namespace troupe
