#pragma once

#include <caf/actor_system_config.hpp>

namespace troupe {

/// The actor system of a program: our messages, and the settings of CAF 0.17.6 that were measured
/// to matter (docs/design.md).
class SystemConfig : public caf::actor_system_config {
public:
  /// @param threads that run actors; training in slices shares them
  explicit SystemConfig(std::size_t threads);
};

} // namespace troupe
