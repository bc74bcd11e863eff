// Messages on a block connection:
//
//   uint32 magic, uint32 bytes of the head, uint64 bytes of the payload     16 bytes, little endian
//   the head: a BlockRequest or BlockReply, as CAF writes it                  at most 64 KiB
//   the payload: the floats of its block, in the wire format that it names
//
// A worker asks and the holder answers, one request at a time.
#pragma once

#include "apps/block_transfer/block_socket.hpp"
#include "apps/block_transfer/shared_segments.hpp"
#include "messages/parameters/parameters.hpp"
#include "model/codecs/wire_format.hpp"

#include <caf/actor_system.hpp>

#include <variant>

namespace troupe {

/// The first message of a connection.
struct BlockHello {
  std::uint32_t protocol = protocol_version;
  std::string cluster; ///< the secret
  TROUPE_FIELDS(protocol, cluster);
};
/// CreateIfAbsent; its block is the payload.
struct CreateBlock {
  bool main_first = false;
  TROUPE_FIELDS(main_first);
};
/// Pull
struct PullBlock {
  TROUPE_FIELDS();
};
/// Await
struct AwaitBlock {
  Version after = 0;
  TROUPE_FIELDS(after);
};
/// Exchange; the push's block is the payload.
struct ExchangeBlock {
  Push push;
  TROUPE_FIELDS(push);
};

/// What the worker has of a fragment, as the payload: later answers may be differences to it.
struct ReceivedBlock {
  Fragment fragment;
  TROUPE_FIELDS(fragment);
};

/// A class of its own, so that CAF finds its inspect function.
struct BlockCall
  : std::variant<BlockHello, CreateBlock, PullBlock, AwaitBlock, ExchangeBlock, ReceivedBlock> {
  using variant::variant;
};
caf::error inspect(caf::serializer& f, BlockCall& x);
caf::error inspect(caf::deserializer& f, BlockCall& x);

/// The fragment of the parameters that is sent and answered.
Fragment fragment_of(const BlockCall& call);

/// How a block is answered. Both ends keep what the worker has received, one block for each
/// fragment (BlockMirror).
enum class AnswerMode : std::uint8_t {
  whole = 0,      ///< and not kept
  kept = 1,       ///< whole: later answers may be differences to it
  difference = 2, ///< an encoded difference to what was kept, if it can be encoded, else `kept`
};

struct BlockRequest {
  BlockCall call;
  WorkerId worker = 0;
  Index size = 0;   ///< floats in the payload
  WireOptions wire; ///< of the payload, and the one wanted for the answer
  AnswerMode answer = AnswerMode::whole;
  SegmentReference segment;            ///< where the block lies, within one machine
  std::vector<std::uint64_t> released; ///< leases of blocks that are no longer read
  TROUPE_FIELDS(call, worker, size, wire, answer, segment, released);
};

struct BlockReply {
  std::uint8_t error = 0; ///< an Error, or 0
  std::string sentence;
  Parameters parameters; ///< its block is the payload
  Index size = 0;
  WireFormat wire = WireFormat::float32;
  bool difference = false; ///< the payload is one to what the worker has received
  SegmentReference segment;
  std::uint64_t lease = 0; ///< number under which the segment's block is to be released
  TROUPE_FIELDS(error, sentence, parameters, size, wire, difference, segment, lease);
};

/// Writes a message. `payload`: the floats, encoded in their wire format.
void write_message(caf::actor_system& system, BlockSocket& socket, const BlockRequest& head,
                   std::span<const std::byte> payload);
void write_message(caf::actor_system& system, BlockSocket& socket, const BlockReply& head,
                   std::span<const std::byte> payload);

/// Reads the head of a message. @returns the number of bytes of its payload, to be read next.
/// @throws IoError if it is not a message of this protocol.
std::size_t read_head(caf::actor_system& system, BlockSocket& socket, BlockRequest& head);
std::size_t read_head(caf::actor_system& system, BlockSocket& socket, BlockReply& head);

/// Encodes and decodes payloads, and reuses its buffer. float32 is neither encoded nor copied.
class PayloadCodec {
public:
  /// @returns the bytes of the block's payload, valid until the next call.
  /// @throws IoError for values that the format cannot represent.
  std::span<const std::byte> encode(const WireOptions& wire, const Block& block);
  /// Reads a payload of `bytes` into a block of `size` floats.
  /// @throws IoError for a payload that does not fit.
  Block read(BlockSocket& socket, WireFormat wire, std::size_t bytes, Index size);

private:
  /// Fills the buffer as bytes arrive: the announced number is only the peer's claim.
  void read_growing(BlockSocket& socket, std::size_t bytes);

  std::vector<std::byte> buffer_;
};

} // namespace troupe
