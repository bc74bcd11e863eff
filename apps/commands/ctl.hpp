// troupe ctl: controls a run in another process.
#pragma once

#include <string>
#include <vector>

namespace CLI { // NOLINT(readability-identifier-naming): the library's
class App;
}

namespace troupe {

struct CtlCommand {
  std::string run;  ///< its folder, "latest", or host:port
  std::string verb; ///< messages/control/control_command.hpp, or tail
  std::vector<std::string> arguments;
  std::string token_file; ///< with host:port: a file with the token, or the run's control.json
  std::string certs;      ///< folder of certificates; "": plain TCP, on loopback only
  std::string name = "control";
};

void add_ctl(CLI::App& app, CtlCommand& command);

/// Sends the command to the run and prints its answer. If the run is frozen or gone, it reports
/// that within five seconds and ends the process with exit code 69.
/// @returns the exit code of the program. @throws Failure for invalid arguments.
int ctl(const CtlCommand& command);

} // namespace troupe
