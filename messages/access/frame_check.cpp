#include "messages/access/frame_check.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace troupe {

namespace {

constexpr std::uint32_t largest_handshake = 64 << 10;
/// The largest message that a peer that connected here may send. Parameters travel the other way.
constexpr std::uint32_t largest_request = 256U << 20;

/// CAF asks each new node for this actor, and works without an answer.
constexpr std::uint64_t spawn_server = 0x03ddd66f3376adfb; // the atom SpawnServ
constexpr std::string_view question_to_spawn_server = "@<>+@atom+@atom+@str";

/// Contents that CAF itself handles. The second one links actors; this program links none across
/// nodes.
constexpr std::array<std::string_view, 8> contents_of_caf{
  "@<>+@exit",    "@<>+@atom+@strong_actor_ptr", "@<>+@down",         "@<>+@group_down",
  "@<>+@timeout", "@<>+@open_stream_msg",        "@<>+@upstream_msg", "@<>+@downstream_msg"};

template <class Number>
Number big_endian(std::span<const char> bytes) {
  Number number = 0;
  for (const auto byte : bytes.first(sizeof(Number)))
    number = static_cast<Number>(number << 8 | static_cast<std::uint8_t>(byte));
  return number;
}

/// The types of a message's content, as CAF names them. They follow the list of actors that
/// forwarded it, which must be empty, and a 16-bit number.
std::optional<std::string_view> content_of(std::span<const char> payload) {
  constexpr std::size_t before_length = 3;
  if (payload.size() <= before_length || payload.front() != 0)
    return {};
  std::size_t length = 0, at = before_length;
  for (auto shift = 0; shift <= 28 && at < payload.size(); shift += 7) {
    const auto byte = static_cast<std::uint8_t>(payload[at++]);
    length |= static_cast<std::size_t>(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0)
      return at + length <= payload.size()
               ? std::optional{std::string_view{payload.data() + at, length}}
               : std::nullopt;
  }
  return {};
}

} // namespace

FrameCheck::Header FrameCheck::read(std::span<const char> bytes) {
  Header header;
  header.operation = static_cast<Operation>(bytes.front());
  header.to_a_name = (bytes[3] & 1) != 0;
  header.payload = big_endian<std::uint32_t>(bytes.subspan(4));
  header.data = big_endian<std::uint64_t>(bytes.subspan(8));
  header.receiver = big_endian<std::uint64_t>(bytes.subspan(24));
  return header;
}

std::string FrameCheck::refuse(std::span<const char> bytes) {
  if (payload_comes_) {
    payload_comes_ = false;
    return bytes.size() == header_.payload ? refuse_payload(bytes)
                                           : "the length of a message differs from its header";
  }
  if (bytes.size() != header_size)
    return "a header is incomplete";
  header_ = read(bytes);
  auto why = refuse_header();
  payload_comes_ = why.empty() && header_.payload > 0;
  return why;
}

std::string FrameCheck::refuse_header() const {
  using enum Operation;
  const auto theirs = side_ == Side::accepts ? client_handshake : server_handshake;
  const auto ours = side_ == Side::accepts ? server_handshake : client_handshake;
  const auto [operation, to_a_name, payload, data, receiver] = header_;
  // A routed message comes from a node that speaks for another one.
  if (operation > heartbeat || operation == ours || operation == routed_message)
    return "it sent a message that this program never sends";
  if (!introduced_ && operation != theirs)
    return "it did not introduce itself first";
  if (operation == theirs && (payload == 0 || payload > largest_handshake))
    return "its introduction has " + std::to_string(payload) + " bytes";
  if (side_ == Side::accepts && payload > largest_request)
    return "it announced a message of " + std::to_string(payload) + " bytes, of which "
           + std::to_string(largest_request) + " is the most";
  const auto of_a_stream = (data >> 61 & 1) != 0; // the higher bit of a message's category
  if (operation == direct_message && of_a_stream)
    return "it sent a stream, which this program never does";
  if (operation == direct_message && to_a_name && receiver != spawn_server)
    return "it asked for an internal service of this process";
  return "";
}

std::string FrameCheck::refuse_payload(std::span<const char> payload) {
  using enum Operation;
  const std::string_view text{payload.data(), payload.size()};
  const auto accepts = side_ == Side::accepts;
  switch (header_.operation) {
  case client_handshake:
    if (introduced_ && text != node_)
      return "it introduced itself as another node this time";
    node_ = text;
    introduced_ = true;
    return "";
  case server_handshake: introduced_ = true; return "";
  case monitor_message:
  case down_message: return accepts && !text.starts_with(node_) ? "it spoke for another node" : "";
  case direct_message: return refuse_message(payload);
  default: return "";
  }
}

std::string FrameCheck::refuse_message(std::span<const char> payload) const {
  const auto content = content_of(payload);
  if (!content)
    return "it sent a message that cannot be read";
  if (header_.to_a_name && content != question_to_spawn_server)
    return "it asked for an internal service of this process";
  if (std::find(contents_of_caf.begin(), contents_of_caf.end(), *content) != contents_of_caf.end())
    return "it tried to end an actor (" + std::string{content->substr(4)}
           + "), which other processes may not do";
  return "";
}

} // namespace troupe
