#pragma once

#include "apps/transport/node_system.hpp"

#include <string>

namespace troupe {

struct HolderNodeOptions {
  Endpoint endpoint; ///< port 0: any free one
  Trust trust;
  std::string cluster;          ///< the secret of the cluster; "": none
  std::string folder;           ///< goes on from what is there, and saves there; "": neither
  std::string port_file;        ///< written with the port once it listens; "": none
  bool until_told = false;      ///< goes on when all workers have left
  int save_every = 30;          ///< seconds between two saves; 0: only at the end
  double pushes_per_second = 0; ///< asked of all workers together at most; 0: no limit
};

/// A parameter holder's process: serves until it is told to end, or all who joined have left again.
/// @returns the exit code of the program. @throws Failure for what cannot begin.
int serve_holder(const HolderNodeOptions& options);

} // namespace troupe
