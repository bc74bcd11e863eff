// troupe split: splits rows into two files that samplers read.
#pragma once

#include "base/types.hpp"

#include <string>
#include <vector>

namespace CLI { // NOLINT(readability-identifier-naming): the library's
class App;
}

namespace troupe {

struct SplitCommand {
  std::vector<std::string> arguments; ///< overrides of the problem's configuration
  std::vector<std::string> problem;   ///< configuration files; {}: `length` is given
  std::string section = "train";      ///< section of the problem
  Index length = 0;                   ///< number of rows; 0: that of the problem
  Index split = 0;                    ///< rows of the first file
  std::int64_t seed = 0;
  bool ranges = false; ///< the first rows and the rest, as two ranges
  std::string outdir = ".";
};

void add_split(CLI::App& app, SplitCommand& command);

/// Writes split_a.txt and split_b.txt.
/// @returns the exit code of the program. @throws Failure, IoError, DataError
int split_rows_of(const SplitCommand& command);

} // namespace troupe
