#pragma once

#include "apps/process/process_limits.hpp"

#include <caf/actor_system_config.hpp>

namespace troupe {

/// What a program takes beside the threads that run actors: those of the run writer and the
/// console, and what actors and libraries allocate when they begin.
inline constexpr ProcessNeeds usual_needs{2, std::uint64_t{32} << 20};

/// The actor system of a program: our messages, and the settings of CAF 0.17.6 that were measured
/// to matter (docs/explanation/design.md).
class SystemConfig : public caf::actor_system_config {
public:
  /// @param threads that run actors; training in slices shares them
  /// @throws Failure where the process's limits leave no room for the system, which could not end
  /// after it had begun
  explicit SystemConfig(std::size_t threads, ProcessNeeds beside = usual_needs);
};

} // namespace troupe
