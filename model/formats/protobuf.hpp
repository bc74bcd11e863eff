#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace troupe {

/// A message in the wire format of Protocol Buffers, written field by field. Field numbers are
/// those of a .proto file. https://protobuf.dev/programming-guides/encoding
class ProtobufMessage {
public:
  ProtobufMessage& integer(std::uint32_t field, std::int64_t value); ///< int64, int32, enum
  ProtobufMessage& real(std::uint32_t field, float value);           ///< float
  ProtobufMessage& real64(std::uint32_t field, double value);        ///< double
  ProtobufMessage& reals64(std::uint32_t field, std::span<const double> values); ///< packed
  ProtobufMessage& text(std::uint32_t field, std::string_view bytes);            ///< string, bytes
  ProtobufMessage& message(std::uint32_t field, const ProtobufMessage& message);

  const std::string& bytes() const { return bytes_; }

private:
  void varint(std::uint64_t value);
  void fixed64(double value);
  void tag(std::uint32_t field, std::uint32_t type) { varint(field << 3 | type); }

  std::string bytes_;
};

} // namespace troupe
