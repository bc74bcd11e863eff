// Within one machine blocks are not sent: the receiver is told in which segment of the sender's
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

/// Where a block lies. The first time a segment is named, its descriptor follows the message.
struct SegmentReference {
  std::uint64_t id = 0; ///< 0: the block is in the payload
  std::uint64_t bytes = 0;
  bool fresh = false;
  std::vector<std::uint64_t> gone; ///< segments named before that have been freed since
  TROUPE_FIELDS(id, bytes, fresh, gone);
};

/// The segments of this process that the peer of one connection has mapped.
class OfferedSegments {
public:
  /// @returns where the block lies; id 0 if the peer cannot read it there. The reference has to be
  /// sent: freshness and freed segments are reported once.
  SegmentReference offer(const BlockSocket& socket, const Block& block);
  /// Sends the descriptor of a fresh segment.
  static void send(BlockSocket& socket, const SegmentReference& segment, const Block& block);

private:
  /// @returns the known segments that this process has freed, and forgets them.
  std::vector<std::uint64_t> take_gone();

  std::set<std::uint64_t> known_;
};

/// The peer's segments that this process has mapped.
class ReceivedSegments {
public:
  /// @returns a block over the segment; `released` is called when the last reader lets it go.
  /// @throws IoError for a segment that was never sent or is too small.
  Block open(BlockSocket& socket, const SegmentReference& segment, Index size,
             std::function<void()> released = {});
  /// Unmaps segments that the peer has freed, except those still under a block.
  void forget(const std::vector<std::uint64_t>& gone);

private:
  std::map<std::uint64_t, std::shared_ptr<MappedSegment>> segments_;
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
