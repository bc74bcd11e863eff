#pragma once

#include "base/fields.hpp"

#include <cereal/archives/portable_binary.hpp>

#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

class SavedArchive;

} // namespace troupe

template <>
struct cereal::traits::detail::get_output_from_input<troupe::SavedArchive> {
  using type = PortableBinaryOutputArchive; // NOLINT(readability-identifier-naming): cereal's name
};

namespace troupe {

/// Reads from memory what cereal's PortableBinaryOutputArchive wrote. A length is accepted only if
/// as many bytes follow, so that a damaged file takes no more memory than a few times its size.
class SavedArchive : public cereal::InputArchive<SavedArchive, cereal::AllowEmptyClassElision> {
  static_assert(std::endian::native == std::endian::little, "numbers are copied as they lie");

public:
  // Here and below: @throws cereal::Exception for invalid data.

  /// @param bytes must outlive the archive
  explicit SavedArchive(std::string_view bytes) : InputArchive(this), left_(bytes) {
    bool little_endian = false;
    (*this)(little_endian);
    if (!little_endian)
      throw cereal::Exception("it is of a machine with another order of bytes");
  }

  std::size_t left() const { return left_.size(); } ///< bytes

  void read(void* to, std::size_t bytes) {
    if (bytes > left())
      throw cereal::Exception(std::to_string(bytes) + " bytes are missing, of which "
                              + std::to_string(left()) + " are there");
    if (bytes > 0)
      std::memcpy(to, left_.data(), bytes);
    left_.remove_prefix(bytes);
  }

private:
  std::string_view left_;
};

// Functions that cereal calls.

template <class Number>
requires std::is_arithmetic_v<Number>
void load(SavedArchive& archive, Number& number) { archive.read(&number, sizeof number); }

inline void load(SavedArchive& archive, bool& flag) {
  std::uint8_t byte = 0;
  archive.read(&byte, 1);
  if (byte > 1)
    throw cereal::Exception("a flag is " + std::to_string(byte));
  flag = byte == 1;
}

template <class T>
void load(SavedArchive& archive, cereal::NameValuePair<T>& pair) {
  archive(pair.value);
}

template <class T>
void load(SavedArchive& archive, cereal::BinaryData<T>& data) {
  archive.read(data.data, static_cast<std::size_t>(data.size));
}

/// The size of a list, a map or a text: each element takes at least a byte.
template <class T>
void load(SavedArchive& archive, cereal::SizeTag<T>& tag) {
  archive(tag.size);
  if (tag.size > archive.left())
    throw cereal::Exception("a list has " + std::to_string(tag.size) + " elements, for which "
                            + std::to_string(archive.left()) + " bytes are there");
}

/// Grows while reading: in memory an element may be far larger than a byte.
template <HasFields T>
void load(SavedArchive& archive, std::vector<T>& list) {
  cereal::size_type size = 0;
  archive(cereal::make_size_tag(size));
  for (list.clear(); size > 0; --size)
    archive(list.emplace_back());
}

} // namespace troupe
