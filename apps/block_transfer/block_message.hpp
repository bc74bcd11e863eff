// What is written on a connection for blocks:
//
//   uint32 magic, uint32 bytes of the head, uint64 bytes of the payload     16 bytes, little endian
//   the head: a BlockRequest or BlockReply, as CAF writes it                  at most 64 KiB
//   the payload: the floats of its block, in the wire format that it names
//
// A worker asks, the holder answers, one at a time.
#pragma once

#include "apps/block_transfer/block_pieces.hpp"
#include "apps/block_transfer/block_socket.hpp"
#include "messages/parameters/parameters.hpp"
#include "model/codecs/wire_format.hpp"

#include <caf/actor_system.hpp>

namespace troupe {

enum class BlockKind : std::uint8_t { hello, create, pull, await, exchange };

struct BlockRequest {
  BlockKind kind = BlockKind::hello;
  std::uint32_t protocol = protocol_version;
  std::string cluster; ///< of a hello
  WorkerId worker = 0;
  bool main_first = false;             ///< of a create
  Version after = 0;                   ///< of an await
  Push push;                           ///< of an exchange; its block is the payload
  Index size = 0;                      ///< floats in the payload
  WireOptions wire;                    ///< of the payload, and wanted for the answer's
  PieceReference piece;                ///< where the block lies, within one machine
  std::vector<std::uint64_t> released; ///< blocks that were lent and are not shown any more
  FIELDS(kind, protocol, cluster, worker, main_first, after, push, size, wire, piece, released);
};

struct BlockReply {
  std::uint8_t error = 0; ///< an Error, or 0
  std::string sentence;
  Parameters parameters; ///< its block is the payload
  Index size = 0;
  WireFormat wire = WireFormat::float32;
  PieceReference piece;
  std::uint64_t lent = 0; ///< number under which the piece's block is to be released
  FIELDS(error, sentence, parameters, size, wire, piece, lent);
};

/// Writes a message. `payload`: the floats, already in their wire format.
void write_message(caf::actor_system& system, BlockSocket& socket, const BlockRequest& head,
                   std::span<const std::byte> payload);
void write_message(caf::actor_system& system, BlockSocket& socket, const BlockReply& head,
                   std::span<const std::byte> payload);

/// Reads the head of a message. @returns the bytes of its payload, which is to be read next.
/// @throws IoError for what is no message of ours.
std::size_t read_head(caf::actor_system& system, BlockSocket& socket, BlockRequest& head);
std::size_t read_head(caf::actor_system& system, BlockSocket& socket, BlockReply& head);

/// Encodes and decodes payloads; keeps the memory for it. float32 is neither encoded nor copied.
class PayloadCodec {
public:
  /// @returns the bytes of the block's payload; they stay valid until the next call.
  /// @throws IoError for values that the format cannot hold.
  std::span<const std::byte> encode(const WireOptions& wire, const Block& block);
  /// Reads a payload of `bytes` into a block of `size` floats.
  /// @throws IoError for a payload that does not fit.
  Block read(BlockSocket& socket, WireFormat wire, std::size_t bytes, Index size);

private:
  /// Fills the buffer as bytes come: how many there will be is only what a peer says.
  void read_growing(BlockSocket& socket, std::size_t bytes);

  std::vector<std::byte> buffer_;
};

} // namespace troupe
