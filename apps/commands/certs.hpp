// troupe certs: creates a cluster's certificate authority and its nodes' certificates.
#pragma once

#include <string>
#include <vector>

namespace CLI { // NOLINT(readability-identifier-naming): the library's
class App;
}

namespace troupe {

struct CertsCommand {
  std::string folder;             ///< of the authority
  std::vector<std::string> names; ///< of nodes; none: create an authority
  int days = 365;                 ///< for which a certificate is valid
};

void add_certs(CLI::App& app, CertsCommand& command);

/// @returns the exit code of the program. @throws Failure if a file cannot be created.
int certs(const CertsCommand& command);

} // namespace troupe
