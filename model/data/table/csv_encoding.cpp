#include "model/data/table/csv_encoding.hpp"

#include "base/failure.hpp"

#include <cstdint>
#include <string_view>

namespace troupe {

namespace {

void append_character(std::string& text, std::uint32_t code) {
  const auto tail
    = [&](unsigned shift) { text += static_cast<char>(0x80U | (code >> shift & 0x3FU)); };
  if (code < 0x80U) {
    text += static_cast<char>(code);
  } else if (code < 0x800U) {
    text += static_cast<char>(0xC0U | code >> 6U);
    tail(0);
  } else if (code < 0x10000U) {
    text += static_cast<char>(0xE0U | code >> 12U);
    tail(6);
    tail(0);
  } else {
    text += static_cast<char>(0xF0U | code >> 18U);
    tail(12);
    tail(6);
    tail(0);
  }
}

/// @param high the index of the high byte of two: 0 in big endian
std::string from_utf16(std::string_view bytes, std::size_t high, const std::string& file) {
  const auto broken = [&](std::size_t at) {
    return DataError(file + ", byte " + std::to_string(at + 2)
                     + ": the file begins as UTF-16 does, but is no UTF-16 here; save it again as "
                       "UTF-8, or copy it again");
  };
  const auto unit = [&](std::size_t at) -> std::uint32_t {
    if (at + 2 > bytes.size())
      throw broken(at);
    return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + high])) << 8U
           | static_cast<unsigned char>(bytes[at + 1 - high]);
  };
  std::string text;
  text.reserve(bytes.size() / 2);
  for (std::size_t at = 0; at < bytes.size(); at += 2) {
    auto code = unit(at);
    if (code >= 0xDC00U && code < 0xE000U)
      throw broken(at);
    if (code >= 0xD800U && code < 0xDC00U) {
      const auto low = unit(at + 2);
      if (low < 0xDC00U || low >= 0xE000U)
        throw broken(at);
      code = 0x10000U + ((code - 0xD800U) << 10U) + (low - 0xDC00U);
      at += 2;
    }
    append_character(text, code);
  }
  return text;
}

} // namespace

Utf8Text utf8_text(std::string bytes, const std::string& file) {
  using namespace std::string_view_literals;
  const std::string_view all = bytes;
  if (all.starts_with("\xFF\xFE\0\0"sv) || all.starts_with("\0\0\xFE\xFF"sv))
    throw DataError(file + " is in UTF-32; convert it: iconv -f UTF-32 -t UTF-8 " + file
                    + " > converted.csv");
  if (all.starts_with("\xFF\xFE"))
    return {from_utf16(all.substr(2), 1, file), "UTF-16"};
  if (all.starts_with("\xFE\xFF"))
    return {from_utf16(all.substr(2), 0, file), "UTF-16"};
  if (all.starts_with("\xEF\xBB\xBF"))
    bytes.erase(0, 3);
  return {std::move(bytes), ""};
}

} // namespace troupe
