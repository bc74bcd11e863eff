// troupe collect: copies the runs of other machines' dashboards, and follows them.
#pragma once

#include <string>
#include <vector>

namespace CLI { // NOLINT(readability-identifier-naming): the library's
class App;
}

namespace troupe {

struct CollectCommand {
  std::vector<std::string> dashboards; ///< addresses, as `troupe dashboard` prints them
  std::string into = "collected";      ///< the folder of the copies
  std::string token_file;              ///< of the tokens of dashboards whose address has none
  std::string certs;                   ///< folder with the ca.pem of their certificates
  double every = 2;                    ///< seconds between two passes of `follow`
  bool follow = false;                 ///< until a signal ends the program
};

void add_collect(CLI::App& app, CollectCommand& command);

/// @returns the exit code of the program. @throws Failure if a dashboard does not answer and is not
/// followed, or a copy cannot be written
int collect_runs(const CollectCommand& command);

} // namespace troupe
