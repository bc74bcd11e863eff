#pragma once

#include "apps/block_transfer/block_socket.hpp"
#include "messages/cluster/cluster.hpp"
#include "messages/cluster/cluster_spec.hpp"
#include "model/codecs/wire_format.hpp"

#include <memory>

namespace troupe {

struct BlockChannelOptions {
  WorkerId worker = 0;
  WireOptions wire; ///< of pushes and their answers, the last ones apart
};

/// Spawns a worker's end of a block connection, on its own thread. It sends one request at a time
/// and waits for the answer; it ends with its connection.
BlockHolder spawn_block_channel(caf::actor_system& system, std::shared_ptr<BlockSocket> socket,
                                BlockChannelOptions options);

/// Opens a block connection and introduces the worker.
/// @param local_name where the holder listens within its machine; "": nowhere
/// @throws IoError if there is no answer within `deadline` seconds; Failure with ExitCode::refused
/// and the holder's sentence if the holder refuses the worker.
std::shared_ptr<BlockSocket> open_block_socket(caf::actor_system& system, const Endpoint& endpoint,
                                               const std::string& local_name, const Trust& trust,
                                               const std::string& cluster, double deadline);

} // namespace troupe
