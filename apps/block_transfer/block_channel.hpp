#pragma once

#include "apps/block_transfer/block_socket.hpp"
#include "messages/cluster/cluster.hpp"
#include "model/codecs/wire_format.hpp"

#include <memory>

namespace troupe {

struct BlockChannelOptions {
  WorkerId worker = 0;
  WireOptions wire; ///< of what is pushed, and where it loses nothing but digits, of the answers
};

/// Spawns a worker's end of a connection for blocks, on a thread of its own. It sends one request
/// after the other and waits for each answer; it ends with its connection.
BlockHolder spawn_block_channel(caf::actor_system& system, std::shared_ptr<BlockSocket> socket,
                                BlockChannelOptions options);

/// Connects for blocks, and introduces the worker.
/// @param local_name where the holder listens within its machine; "": nowhere
/// @throws IoError where nobody answers within `deadline` seconds; Failure with ExitCode::refused
/// and the holder's sentence where it does not let the worker in.
std::shared_ptr<BlockSocket> open_block_socket(caf::actor_system& system, const Endpoint& endpoint,
                                               const std::string& local_name, const Trust& trust,
                                               const std::string& cluster, double deadline);

} // namespace troupe
