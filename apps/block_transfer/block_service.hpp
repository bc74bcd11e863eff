#pragma once

#include "apps/block_transfer/block_message.hpp"

#include <caf/scoped_actor.hpp>

#include <map>

namespace troupe {

/// What a holder's node does for one worker that it trusts: reads its requests for blocks, one at a
/// time, and answers them by the holder's answers.
class BlockService {
public:
  /// @param socket outlives the service
  BlockService(caf::actor_system& system, ParameterHolder holder, BlockSocket& socket);

  /// Returns when the connection or the holder has ended. @throws IoError
  void serve();

private:
  /// @returns the block of the request.
  Block read(BlockRequest& request);
  /// The holder's answer. @throws IoError for what nobody knows.
  BlockReply settle(BlockRequest& request, Block values);
  template <class Request>
  BlockReply ask(Request request);
  void write(BlockReply reply, const WireOptions& asked);

  caf::actor_system& system_;
  ParameterHolder holder_;
  BlockSocket& socket_;
  caf::scoped_actor self_;
  bool holder_ended_ = false;
  PayloadCodec codec_;
  OfferedPieces offered_;
  ReceivedPieces received_;
  std::map<std::uint64_t, Block> leased_; ///< whoever reads them in our memory has not let go yet
  std::uint64_t lendings_ = 0;
};

} // namespace troupe
