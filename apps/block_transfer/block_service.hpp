#pragma once

#include "apps/block_transfer/block_message.hpp"
#include "apps/block_transfer/fragment_mirrors.hpp"

#include <caf/scoped_actor.hpp>

#include <map>

namespace troupe {

/// Serves one trusted worker for a holder's node: reads its block requests one at a time and
/// answers them with the holder's answers. Only members may read parameters; the holder itself
/// checks who changes them.
class BlockService {
public:
  /// @param socket outlives the service
  BlockService(caf::actor_system& system, ParameterHolder holder, BlockSocket& socket);

  /// Returns when the connection or the holder has ended. @throws IoError
  void serve();

private:
  /// @returns the block of the request.
  Block read(BlockRequest& request);
  /// @returns the holder's answer. @throws IoError for a second hello.
  BlockReply settle(BlockRequest& request, Block values);
  BlockReply settle(const CreateBlock& create, const BlockRequest& request, Block values);
  BlockReply settle(const PullBlock& pull, const BlockRequest& request, const Block& values);
  BlockReply settle(const AwaitBlock& await, const BlockRequest& request, const Block& values);
  BlockReply settle(ExchangeBlock& exchange, const BlockRequest& request, Block values);
  BlockReply settle(const BlockHello& hello, const BlockRequest& request, const Block& values);
  BlockReply settle(const ReceivedBlock& received, const BlockRequest& request, Block values);
  template <class Request>
  BlockReply ask(Request request);
  /// Asks for a member; refuses a worker that has not joined, has left, or is lost.
  template <class Request>
  BlockReply ask_as_member(const std::string& name, Request request);
  bool is_member(WorkerId worker);
  void write(BlockReply reply, const BlockRequest& request);
  void write_whole(BlockReply reply, const WireOptions& format, const Block& block);

  caf::actor_system& system_;
  ParameterHolder holder_;
  BlockSocket& socket_;
  caf::scoped_actor self_;
  bool holder_ended_ = false;
  PayloadCodec codec_;
  FragmentMirrors received_by_worker_; ///< as AnswerMode says
  std::vector<std::byte> encoded_;
  OfferedSegments offered_;
  ReceivedSegments received_;
  std::map<std::uint64_t, Block> leased_; ///< blocks that the worker may still read in our memory
  std::uint64_t last_lease_ = 0;
};

} // namespace troupe
