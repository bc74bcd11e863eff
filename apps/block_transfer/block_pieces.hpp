// On one machine blocks are not sent: the receiver is told in which piece of the sender's memory
// they lie, and reads them there.
#pragma once

#include "apps/block_transfer/block_socket.hpp"
#include "messages/inspection/inspect.hpp"
#include "model/tensor/shared_memory.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

namespace troupe {

/// Where a block lies. The first time that a piece is named, its descriptor follows the message.
struct PieceReference {
  std::uint64_t id = 0; ///< 0: the block is in the payload
  std::uint64_t bytes = 0;
  bool fresh = false;
  std::vector<std::uint64_t> gone; ///< pieces that were named before and are given up since
  FIELDS(id, bytes, fresh, gone);
};

/// The pieces of this process that the peer of one connection has mapped.
class OfferedPieces {
public:
  /// @returns where the block lies; id 0 where the peer cannot read it there. The reference has to
  /// be sent: what it tells is told once.
  PieceReference offer(const BlockSocket& socket, const Block& block);
  /// Sends the descriptor of a fresh piece.
  static void send(BlockSocket& socket, const PieceReference& piece, const Block& block);

private:
  /// @returns those of the known pieces that this process has given up, and forgets them.
  std::vector<std::uint64_t> take_gone();

  std::set<std::uint64_t> known_;
};

/// The peer's pieces that this process has mapped.
class ReceivedPieces {
public:
  /// @returns a block over the piece; `released` is called when nobody shows it any more.
  /// @throws IoError for a piece that was never sent, or is too small.
  Block open(BlockSocket& socket, const PieceReference& piece, Index size,
             std::function<void()> released = {});
  /// Gives up pieces that the peer has given up; a block over one of them keeps it.
  void forget(const std::vector<std::uint64_t>& gone);

private:
  std::map<std::uint64_t, std::shared_ptr<MappedPiece>> pieces_;
};

/// Numbers of lent blocks that are no longer shown; any thread may add.
class ReleaseList {
public:
  void add(std::uint64_t number);
  std::vector<std::uint64_t> take();

private:
  std::mutex mutex_;
  std::vector<std::uint64_t> numbers_;
};

} // namespace troupe
