// A whole cluster in one process, under virtual time: its actors are those of a real one, only the
// network, and the time that a batch takes, are numbers.
#pragma once

#include "actors/parameters/simulated_connector.hpp"
#include "apps/session/session_options.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// A worker that dies without a word.
struct Death {
  WorkerId worker = 0;
  double at = 0; ///< seconds
};

struct SimulatedClusterOptions {
  WorkerId workers = 2;
  std::size_t holders = 1;           ///< each with a range of the block
  std::vector<double> step = {0.05}; ///< seconds of a batch: of all workers, or of each
  SimulatedNetworkOptions network;   ///< its nodes are the workers, then the holders
  std::vector<Outage> outages;
  std::vector<Death> deaths;
  std::optional<std::uint64_t> network_seed; ///< of what the network draws; nothing: the run's
  std::filesystem::path folder;              ///< of the run; it exists
  bool console = true;                       ///< lines of all workers on standard error
  Level level = Level::info;
  std::function<void()> begins; ///< called when nothing can be refused any more; may be empty
  std::function<void(const std::string& line)> trace; ///< hears of each message; may be empty
};

struct SimulatedRun {
  std::vector<std::optional<SessionResult>> workers; ///< nothing: it died
  std::vector<HolderStatus> holders;
  double seconds = 0;         ///< that all of it lasted
  std::uint64_t messages = 0; ///< between nodes
  std::uint64_t bytes = 0;
  std::string fingerprint; ///< of all messages with their times, and of what was trained
};

/// "worker 2", "holder 0": a node of the network.
std::string node_name(std::size_t node, WorkerId workers);

/// Trains one configuration. A second run with the same options is the same to the last bit. It
/// blocks; main() and tests only.
/// @param config for processes of a cluster. @throws ConfigError, Failure for what cannot begin.
SimulatedRun simulate_cluster(const RunConfig& config, const SimulatedClusterOptions& options,
                              const std::shared_ptr<const Problem>& problem);

} // namespace troupe
