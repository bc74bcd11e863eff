// troupe init: prepares a problem's data before training.
#pragma once

#include <string>
#include <vector>

namespace CLI { // NOLINT(readability-identifier-naming): the library's
class App;
}

namespace troupe {

struct InitCommand {
  std::vector<std::string> words; ///< configuration files and overrides, as for train
  bool json = false;
};

void add_init(CLI::App& app, InitCommand& command);

/// Reads all files that a run would read, the samplers' too, and says what is in them. Nothing is
/// written: no problem keeps anything between runs.
/// @returns the exit code of the program. @throws Failure, FileError, DataError for what cannot be.
int init_problem(const InitCommand& command);

} // namespace troupe
