#pragma once

#include "apps/process/process_limits.hpp"

#include <caf/actor_system_config.hpp>

namespace troupe {

/// What a program takes besides the threads that run actors: the threads of the run writer and the
/// console, and what actors and libraries allocate at the start.
inline constexpr ProcessNeeds usual_needs{2, std::uint64_t{32} << 20};

/// The actor system of a program: Troupe's messages, and the settings of CAF 0.17.6 that matter by
/// measurement (docs/explanation/design.md).
class SystemConfig : public caf::actor_system_config {
public:
  /// @param threads that run actors; training in slices shares them
  /// @throws Failure if the process's limits leave no room for the system, which could not end
  /// after it had begun
  explicit SystemConfig(std::size_t threads, ProcessNeeds beside = usual_needs);
};

} // namespace troupe
