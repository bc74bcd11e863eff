// troupe why: says what limits the speed of a run, and how fast it would be without that.
#pragma once

#include <string>

namespace CLI { // NOLINT(readability-identifier-naming): the library's
class App;
}

namespace troupe {

struct WhyCommand {
  std::string run;    ///< the folder of a run or a launched cluster, a log, or "latest"
  std::string output; ///< an SVG file; "": none
  bool json = false;
};

void add_why(CLI::App& app, WhyCommand& command);

/// @returns the exit code of the program. @throws Failure
int why(const WhyCommand& command);

} // namespace troupe
