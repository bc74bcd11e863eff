#include "model/formats/protobuf.hpp"

#include <bit>

namespace troupe {

namespace {

enum WireType : std::uint32_t {
  wire_varint = 0,
  wire_64_bits = 1,
  wire_length_delimited = 2,
  wire_32_bits = 5
};

} // namespace

void ProtobufMessage::varint(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7)
    bytes_ += static_cast<char>(value | 0x80);
  bytes_ += static_cast<char>(value);
}

ProtobufMessage& ProtobufMessage::integer(std::uint32_t field, std::int64_t value) {
  tag(field, wire_varint);
  varint(static_cast<std::uint64_t>(value));
  return *this;
}

ProtobufMessage& ProtobufMessage::real(std::uint32_t field, float value) {
  tag(field, wire_32_bits);
  const auto bits = std::bit_cast<std::uint32_t>(value);
  for (int i = 0; i < 4; ++i)
    bytes_ += static_cast<char>(bits >> 8 * i & 0xff);
  return *this;
}

void ProtobufMessage::fixed64(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  for (int i = 0; i < 8; ++i)
    bytes_ += static_cast<char>(bits >> 8 * i & 0xff);
}

ProtobufMessage& ProtobufMessage::real64(std::uint32_t field, double value) {
  tag(field, wire_64_bits);
  fixed64(value);
  return *this;
}

ProtobufMessage& ProtobufMessage::reals64(std::uint32_t field, std::span<const double> values) {
  tag(field, wire_length_delimited);
  varint(values.size() * sizeof(double));
  for (const auto value : values)
    fixed64(value);
  return *this;
}

ProtobufMessage& ProtobufMessage::text(std::uint32_t field, std::string_view bytes) {
  tag(field, wire_length_delimited);
  varint(bytes.size());
  bytes_ += bytes;
  return *this;
}

ProtobufMessage& ProtobufMessage::message(std::uint32_t field, const ProtobufMessage& message) {
  return text(field, message.bytes_);
}

} // namespace troupe
