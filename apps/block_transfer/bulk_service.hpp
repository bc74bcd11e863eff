#pragma once

#include "apps/block_transfer/bulk_message.hpp"

#include <caf/scoped_actor.hpp>

#include <map>

namespace troupe {

/// What a holder's node does for one worker that it trusts: reads its requests for blocks, one at a
/// time, and answers them by the holder's answers.
class BulkService {
public:
  /// @param socket outlives the service
  BulkService(caf::actor_system& system, ParameterHolder holder, BulkSocket& socket);

  /// Returns when the connection or the holder has ended. @throws IoError
  void serve();

private:
  /// @returns the block of the request.
  Block read(BulkRequest& request);
  /// The holder's answer. @throws IoError for what nobody knows.
  BulkReply settle(BulkRequest& request, Block values);
  template <class Request>
  BulkReply ask(Request request);
  void write(BulkReply reply, const WireOptions& asked);

  caf::actor_system& system_;
  ParameterHolder holder_;
  BulkSocket& socket_;
  caf::scoped_actor self_;
  bool holder_ended_ = false;
  PayloadCodec codec_;
  OfferedPieces offered_;
  ReceivedPieces received_;
  std::map<std::uint64_t, Block> lent_; ///< whoever reads them in our memory has not let go yet
  std::uint64_t lendings_ = 0;
};

} // namespace troupe
