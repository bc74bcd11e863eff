// The actor system of a process that talks to others: mutual TLS, heartbeats, and no other open
// port.
#pragma once

#include "apps/process/system_config.hpp"

#include <cstddef>

namespace troupe {

/// CAF with its middleman: a peer that is silent for ten seconds counts as lost.
class NodeSystemConfig : public SystemConfig {
public:
  /// @param threads that run actors @param beside what the program takes besides
  /// @throws Failure as SystemConfig()
  explicit NodeSystemConfig(std::size_t threads, ProcessNeeds beside = usual_needs);
};

} // namespace troupe
