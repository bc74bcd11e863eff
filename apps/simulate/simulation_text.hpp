// The result of a simulated cluster, as text and as JSON.
#pragma once

#include "apps/simulate/simulated_cluster.hpp"

#include <string>

namespace troupe {

/// "1 holder; 0.5 ms, 1000 Mbit/s"
std::string network_text(const SimulatedClusterOptions& options);

/// @param took wall-clock seconds of the simulation
std::string simulation_text(const SimulatedRun& run, const RunConfig& config,
                            const SimulatedClusterOptions& options, double took);
/// One JSON object, the same for the same simulation.
std::string simulation_json(const SimulatedRun& run, const RunConfig& config,
                            const SimulatedClusterOptions& options);

/// The reason of the first failed worker; "" if no worker failed.
std::string first_failure(const SimulatedRun& run);

} // namespace troupe
