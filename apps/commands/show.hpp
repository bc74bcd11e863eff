// troupe show: draws examples of a problem into a PNG file, or describes a model's file.
#pragma once

#include <string>
#include <vector>

namespace CLI { // NOLINT(readability-identifier-naming): the library's
class App;
}

namespace troupe {

struct ShowCommand {
  std::string problem = "digits";     ///< or the file of a model
  std::vector<std::string> overrides; ///< of the problem's options, "seed=3"
  std::string output;                 ///< "": <problem>.png
  std::string section = "train";
  int examples = 100;
  int scale = 2;
};

void add_show(CLI::App& app, ShowCommand& command);

/// @returns the exit code of the program. @throws Failure
int show(const ShowCommand& command);

} // namespace troupe
