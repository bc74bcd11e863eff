// Reads the parameters of a running cluster's parameter holders from outside.
#pragma once

#include "messages/parameters/parameters.hpp"

#include <string>
#include <vector>

namespace troupe {

struct HolderQuery {
  std::string addresses; ///< host:port of each, in the order of their shards, separated by commas
  std::string certs;     ///< folder of certificates; "": plain TCP, on loopback only
  std::string name = "control";
  std::string
    token_file; ///< file with the cluster's token; "": TROUPE_TOKEN, or the file in `certs`
};

/// The state of each holder. Asks several holders again until their answers contain the same
/// pushes, for at most two seconds, and then warns if they do not. No worker waits for it.
///
/// If a holder does not answer, it prints an error and ends the process with exit code 69.
/// @throws UsageError, ConfigError for invalid addresses and certificates; Failure if there are no
/// parameters yet.
std::vector<SavedHolder> saved_by_holders(const HolderQuery& query);

} // namespace troupe
