// troupe summary: prints the layers of a configured model, and the memory that training takes.
#pragma once

#include "model/training/model.hpp"

#include <string>
#include <vector>

namespace CLI { // NOLINT(readability-identifier-naming): the library's
class App;
}

namespace troupe {

struct SummaryCommand {
  std::vector<std::string> arguments; ///< runs' folders, configuration files and overrides
};

void add_summary(CLI::App& app, SummaryCommand& command);

/// A line for each stage with its output and parameters, then the sums by role; for a model that
/// does not describe its stages, a line for each parameter.
std::string stages_text(const Model& model);

/// @returns the exit code of the program. @throws Failure
int summary(const SummaryCommand& command);

} // namespace troupe
