// A whole cluster in one process, in virtual time. The actors are those of a real cluster; only the
// network and the duration of a batch are simulated.
#pragma once

#include "actors/parameters/simulated_connector.hpp"
#include "apps/session/session_options.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// A worker that is killed.
struct Death {
  WorkerId worker = 0;
  double at = 0; ///< seconds
};

struct SimulatedClusterOptions {
  WorkerId workers = 2;
  std::size_t holders = 1; ///< each with a shard of the block
  std::vector<double> step
    = {0.05}; ///< seconds that a batch takes: one for all workers, or one for each
  SimulatedNetworkOptions network; ///< its nodes are the workers, then the holders
  std::vector<Outage> outages;
  std::vector<Death> deaths;
  std::optional<std::uint64_t> network_seed; ///< seed of the network; nothing: the run's seed
  std::filesystem::path folder;              ///< existing folder of the run
  WorkerId files = 2;  ///< so many workers, from worker 0 on, leave files in their folders
  bool console = true; ///< print lines of all workers on standard error
  Level level = Level::info;
  std::function<void()> begins; ///< called once all checks have passed; may be empty
  std::function<void(const std::string& line)>
    trace; ///< receives a line for each message; may be empty
};

struct SimulatedRun {
  std::vector<std::optional<SessionResult>> workers; ///< nothing: it was killed
  std::vector<HolderStatus> holders;
  double seconds = 0;         ///< duration of the simulated run
  std::uint64_t messages = 0; ///< messages between nodes
  std::uint64_t bytes = 0;
  std::string fingerprint; ///< hash of all messages with their times, and of the trained parameters
};

/// "worker 2", "holder 0": a node of the network.
std::string node_name(std::size_t node, WorkerId workers);

/// Trains one configuration. A second run with the same options is the same to the last bit.
/// Blocking; for main() and tests only.
/// @param config for processes of a cluster. @throws ConfigError, Failure if it cannot start.
SimulatedRun simulate_cluster(const RunConfig& config, const SimulatedClusterOptions& options,
                              const std::shared_ptr<const Problem>& problem);

} // namespace troupe
