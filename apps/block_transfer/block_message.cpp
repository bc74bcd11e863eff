#include "apps/block_transfer/block_message.hpp"

#include "base/failure.hpp"
#include "messages/inspection/inspect_fields.hpp"
#include "messages/requests/error.hpp"
#include "messages/wire/type_ids.hpp"

#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>

#include <algorithm>
#include <array>
#include <cstring>

namespace troupe {

namespace {

constexpr std::uint32_t magic = 0x42505254; // "TRPB"
constexpr std::uint32_t largest_head = 64 << 10;

struct Frame {
  std::uint32_t magic = troupe::magic;
  std::uint32_t head = 0;
  std::uint64_t payload = 0;
};
static_assert(sizeof(Frame) == 16);

template <class Head>
void write_any(caf::actor_system& system, BlockSocket& socket, const Head& head,
               std::span<const std::byte> payload) {
  std::vector<char> bytes(sizeof(Frame)); // the frame goes before the head, in one piece
  caf::binary_serializer sink{system, bytes};
  sink.seek(sizeof(Frame));
  if (auto error = sink(head))
    throw IoError("a block message cannot be written: " + sentence(error));
  Frame frame;
  frame.head = static_cast<std::uint32_t>(bytes.size() - sizeof(Frame));
  frame.payload = payload.size();
  std::memcpy(bytes.data(), &frame, sizeof frame);
  socket.write(std::as_bytes(std::span{bytes}));
  socket.write(payload);
}

template <class Head>
std::size_t read_any(caf::actor_system& system, BlockSocket& socket, Head& head) {
  Frame frame;
  socket.read(std::as_writable_bytes(std::span{&frame, 1}));
  if (frame.magic != magic || frame.head > largest_head)
    throw IoError("the peer of the block connection does not speak Troupe's protocol");
  std::vector<char> bytes(frame.head);
  socket.read(std::as_writable_bytes(std::span{bytes}));
  caf::binary_deserializer source{system, bytes};
  if (auto error = source(head))
    throw IoError("a block message cannot be read: " + sentence(error));
  if (head.size < 0 || static_cast<std::size_t>(head.size) > largest_block
      || frame.payload > 8 * static_cast<std::size_t>(head.size) + 4096)
    throw IoError("a block message announces " + std::to_string(frame.payload) + " bytes for "
                  + std::to_string(head.size) + " numbers");
  return frame.payload;
}

template <std::size_t I = 0>
caf::error read_call_alternative(caf::deserializer& f, std::size_t index, BlockCall& call) {
  if constexpr (I == std::variant_size_v<BlockCall::variant>)
    return caf::sec::invalid_argument;
  else if (index != I)
    return read_call_alternative<I + 1>(f, index, call);
  else
    return inspect(f, call.emplace<I>());
}

} // namespace

caf::error inspect(caf::serializer& f, BlockCall& x) {
  auto index = static_cast<std::uint8_t>(x.index());
  if (auto error = f(index))
    return error;
  return std::visit([&f](auto& call) { return inspect(f, call); }, x);
}

caf::error inspect(caf::deserializer& f, BlockCall& x) {
  std::uint8_t index = 0;
  if (auto error = f(index))
    return error;
  return read_call_alternative(f, index, x);
}

Fragment fragment_of(const BlockCall& call) {
  if (const auto* exchange = std::get_if<ExchangeBlock>(&call))
    return exchange->push.fragment;
  const auto* received = std::get_if<ReceivedBlock>(&call);
  return received != nullptr ? received->fragment : Fragment{};
}

void write_message(caf::actor_system& system, BlockSocket& socket, const BlockRequest& head,
                   std::span<const std::byte> payload) {
  write_any(system, socket, head, payload);
}

void write_message(caf::actor_system& system, BlockSocket& socket, const BlockReply& head,
                   std::span<const std::byte> payload) {
  write_any(system, socket, head, payload);
}

std::size_t read_head(caf::actor_system& system, BlockSocket& socket, BlockRequest& head) {
  return read_any(system, socket, head);
}

std::size_t read_head(caf::actor_system& system, BlockSocket& socket, BlockReply& head) {
  return read_any(system, socket, head);
}

std::span<const std::byte> PayloadCodec::encode(const WireOptions& wire, const Block& block) {
  if (wire.format == WireFormat::float32)
    return std::as_bytes(block.view());
  if (auto defect = troupe::encode(wire, block.view(), buffer_); !defect.empty())
    throw IoError("parameters cannot be sent as " + to_string(wire.format) + ": " + defect);
  return buffer_;
}

Block PayloadCodec::read(BlockSocket& socket, WireFormat wire, std::size_t bytes, Index size) {
  if (size == 0)
    return {};
  const auto floats = static_cast<std::size_t>(size) * sizeof(float);
  // Before memory is taken for the floats: no format but top_k has less than 4 bits for each.
  if (wire == WireFormat::float32
        ? bytes != floats
        : wire != WireFormat::top_k && bytes < static_cast<std::size_t>(size) / 2)
    throw IoError("a payload of " + std::to_string(bytes) + " bytes for " + std::to_string(size)
                  + " floats");
  if (wire == WireFormat::float32) {
    auto block = Block::uninitialized(size);
    socket.read(std::as_writable_bytes(block.edit()));
    return block;
  }
  read_growing(socket, bytes);
  auto block = Block::uninitialized(size);
  if (auto defect = decode(wire, buffer_, block.edit()); !defect.empty())
    throw IoError("received parameters are damaged: " + defect);
  return block;
}

void PayloadCodec::read_growing(BlockSocket& socket, std::size_t bytes) {
  constexpr std::size_t piece = std::size_t{16} << 20;
  for (std::size_t done = 0; done < bytes;) {
    const auto next = std::min(bytes, done + piece);
    if (buffer_.size() < next)
      buffer_.resize(next);
    socket.read(std::span{buffer_}.subspan(done, next - done));
    done = next;
  }
  buffer_.resize(bytes);
}

} // namespace troupe
