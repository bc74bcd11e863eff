// What a simulated cluster has come to, for people and for programs.
#pragma once

#include "apps/simulate/simulated_cluster.hpp"

#include <string>

namespace troupe {

/// "1 holder; 0.5 ms, 1000 Mbit/s"
std::string network_text(const SimulatedClusterOptions& options);

/// @param took seconds that the simulation itself needed
std::string simulation_text(const SimulatedRun& run, const RunConfig& config,
                            const SimulatedClusterOptions& options, double took);
/// One JSON object, the same for the same simulation.
std::string simulation_json(const SimulatedRun& run, const RunConfig& config,
                            const SimulatedClusterOptions& options);

/// Why the first worker that failed did so; "" where all that were not killed are through.
std::string first_failure(const SimulatedRun& run);

} // namespace troupe
