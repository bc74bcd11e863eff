// troupe plot: draws curves of the logs of runs.
#pragma once

#include <string>
#include <vector>

namespace CLI { // NOLINT(readability-identifier-naming): the library's
class App;
}

namespace troupe {

struct PlotCommand {
  std::vector<std::string> runs; ///< as `find_logs` takes them
  std::string store;
  std::string output = "curves.svg"; ///< the suffix is the format: .svg or .png
  std::vector<std::string> records;  ///< none: all losses, accuracies and r2
  std::string against = "batches";
  double smooth = 0;
  bool log = false; ///< a logarithmic vertical axis
};

void add_plot(CLI::App& app, PlotCommand& command);

/// Prints the path of the picture.
/// @returns the exit code of the program. @throws UsageError, IoError, IoError.
int plot(const PlotCommand& command);

} // namespace troupe
