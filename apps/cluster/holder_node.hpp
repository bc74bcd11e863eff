#pragma once

#include "apps/transport/trust.hpp"
#include "messages/cluster/cluster_spec.hpp"

#include <string>

namespace troupe {

struct HolderNodeOptions {
  Endpoint endpoint; ///< port 0: any free port
  Trust trust;
  std::string cluster;          ///< the cluster's token; "": none
  std::string folder;           ///< resumes from the state there, and saves there; "": neither
  std::string port_file;        ///< the port is written to this file once it listens; "": none
  bool keep_running = false;    ///< keeps running when all workers have left
  int save_every = 30;          ///< seconds between two saves; 0: only at the end
  double pushes_per_second = 0; ///< limit for all workers together; 0: no limit
};

/// Runs a parameter holder until a signal ends it, or until all members have left.
/// @returns the exit code of the program. @throws Failure if it cannot start.
int serve_holder(const HolderNodeOptions& options);

} // namespace troupe
