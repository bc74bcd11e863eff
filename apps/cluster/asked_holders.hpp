// What the parameter holders of a running cluster keep, asked from outside.
#pragma once

#include "messages/parameters/parameters.hpp"

#include <string>
#include <vector>

namespace troupe {

struct AskedHolders {
  std::string addresses; ///< host:port of each, in the order of their ranges, with commas between
  std::string certs;     ///< folder of certificates; "": plain, on loopback only
  std::string name = "control";
  std::string token_file; ///< with the cluster's token; "": TROUPE_TOKEN, or the one in `certs`
};

/// All that each of them keeps. Several are asked again until their answers contain the same
/// pushes, for at most two seconds, after which a warning says that they do not. No worker waits
/// for it.
///
/// Where one does not answer it ends the process and says so: exit code 69.
/// @throws UsageError, ConfigError for addresses and certificates that cannot be; Failure where
/// there are no parameters yet.
std::vector<SavedHolder> saved_by_holders(const AskedHolders& asked);

} // namespace troupe
