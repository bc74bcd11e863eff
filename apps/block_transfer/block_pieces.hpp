// Within one machine blocks are not sent: the receiver is told in which piece of the sender's
// memory a block lies, and reads it there.
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

/// Where a block lies. The first time a piece is named, its descriptor follows the message.
struct PieceReference {
  std::uint64_t id = 0; ///< 0: the block is in the payload
  std::uint64_t bytes = 0;
  bool fresh = false;
  std::vector<std::uint64_t> gone; ///< pieces named before that have been freed since
  FIELDS(id, bytes, fresh, gone);
};

/// The pieces of this process that the peer of one connection has mapped.
class OfferedPieces {
public:
  /// @returns where the block lies; id 0 if the peer cannot read it there. The reference has to be
  /// sent: freshness and freed pieces are reported once.
  PieceReference offer(const BlockSocket& socket, const Block& block);
  /// Sends the descriptor of a fresh piece.
  static void send(BlockSocket& socket, const PieceReference& piece, const Block& block);

private:
  /// @returns the known pieces that this process has freed, and forgets them.
  std::vector<std::uint64_t> take_gone();

  std::set<std::uint64_t> known_;
};

/// The peer's pieces that this process has mapped.
class ReceivedPieces {
public:
  /// @returns a block over the piece; `released` is called when the last reader lets it go.
  /// @throws IoError for a piece that was never sent or is too small.
  Block open(BlockSocket& socket, const PieceReference& piece, Index size,
             std::function<void()> released = {});
  /// Unmaps pieces that the peer has freed, except those still under a block.
  void forget(const std::vector<std::uint64_t>& gone);

private:
  std::map<std::uint64_t, std::shared_ptr<MappedPiece>> pieces_;
};

/// Leases of blocks that are no longer read; add() is thread-safe.
class ReleaseList {
public:
  void add(std::uint64_t number);
  std::vector<std::uint64_t> take();

private:
  std::mutex mutex_;
  std::vector<std::uint64_t> numbers_;
};

} // namespace troupe
