// troupe ctl: steers a run of another process.
#pragma once

#include <string>
#include <vector>

namespace CLI { // NOLINT(readability-identifier-naming): the library's
class App;
}

namespace troupe {

struct CtlCommand {
  std::string run;  ///< its folder, "latest", or host:port
  std::string verb; ///< messages/control/control_act.hpp, or tail
  std::vector<std::string> arguments;
  std::string token_file; ///< with host:port: the token, or the run's control.json
  std::string certs;      ///< folder of certificates; "": plain, on loopback only
  std::string name = "control";
};

void add_ctl(CLI::App& app, CtlCommand& command);

/// Asks the run and prints its answer. Where the run is frozen or gone it gives up within five
/// seconds, ends the process and says so: exit code 69.
/// @returns the exit code of the program. @throws Failure for what cannot begin.
int ctl(const CtlCommand& command);

} // namespace troupe
