// troupe init: checks a problem's data before training.
#pragma once

#include <string>
#include <vector>

namespace CLI { // NOLINT(readability-identifier-naming): the library's
class App;
}

namespace troupe {

struct InitCommand {
  std::vector<std::string> arguments; ///< configuration files and overrides, as for train
  bool json = false;
};

void add_init(CLI::App& app, InitCommand& command);

/// Reads all files that a run would read, including the samplers', and describes them. It writes
/// nothing: no problem keeps files between runs.
/// @returns the exit code of the program. @throws Failure, IoError, DataError
int init_problem(const InitCommand& command);

} // namespace troupe
