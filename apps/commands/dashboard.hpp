// troupe dashboard: a page in the browser for all runs; troupe trace: a run as a trace.
#pragma once

#include <string>
#include <vector>

namespace CLI { // NOLINT(readability-identifier-naming): the library's
class App;
}

namespace troupe {

struct DashboardCommand {
  std::vector<std::string> folders; ///< of runs, grids and clusters; {}: runs and grids
  std::vector<std::string> stores;  ///< whose runs are shown, too
  std::string listen = "127.0.0.1:0";
  std::string token_file; ///< of the tokens of the roles; "": drawn anew
  std::string role = "admin";
  std::string certs; ///< folder with <name>.pem and <name>.key; "": plain HTTP, on loopback only
  std::string name = "dashboard";
};

void add_dashboard(CLI::App& app, DashboardCommand& command);

/// Prints the page's address, and serves it until a signal ends the program.
/// @returns the exit code of the program. @throws Failure for invalid arguments.
int dashboard(const DashboardCommand& command);

struct TraceCommand {
  std::string run;    ///< a run's folder, a launched cluster's, or "latest"
  std::string output; ///< "": trace.json in the current folder
};

void add_trace(CLI::App& app, TraceCommand& command);

/// @returns the exit code of the program. @throws IoError if there is no log
int trace(const TraceCommand& command);

} // namespace troupe
