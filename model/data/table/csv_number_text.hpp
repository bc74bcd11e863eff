// Parses one number, plain or as people write it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace troupe {

/// digits / 10^decimals
struct PlainDecimal {
  std::int64_t digits = 0;
  std::uint8_t decimals = 0;
  bool point = false;
  bool exact = false; ///< the digits are an exact double, and not -0
};

/// Reads the number at the beginning of a text if it is of the most common form, such as -12.5.
/// @param text ends in a byte that is no digit and no point
/// @returns the end of the number; nullptr if there is none
inline const char* read_plain_decimal(const char* text, PlainDecimal& number) {
  const bool minus = *text == '-';
  const auto* const begin = text + (minus ? 1 : 0); // arithmetic, as no branch can be predicted
  std::uint64_t digits = 0;
  const auto take_digits = [&digits](const char* c) {
    for (unsigned digit = 0; (digit = static_cast<unsigned>(*c) - '0') < 10; ++c)
      digits = 10 * digits + digit;
    return c;
  };
  const auto* end = take_digits(begin);
  auto count = end - begin;
  number.point = *end == '.';
  number.decimals = 0;
  if (number.point) {
    const auto* const point = end;
    end = take_digits(point + 1);
    number.decimals = static_cast<std::uint8_t>(end - point - 1);
    count = end - begin - 1;
  }
  constexpr int most_digits = 15; // less than 2^53
  const auto sign = minus ? std::int64_t{-1} : std::int64_t{0};
  number.digits = (static_cast<std::int64_t>(digits) ^ sign) - sign;
  number.exact = count <= most_digits && !(minus && digits == 0);
  return count > 0 ? end : nullptr;
}

struct WrittenNumber {
  double value = 0;
  std::string_view before, after; ///< text around it, such as $ and m2
  bool accounting = false;        ///< negative by parentheses or a trailing minus
};

/// Splits a cell into the parts of a number with the given decimal mark.
std::optional<WrittenNumber> written_number(std::string_view cell, char decimal);

} // namespace troupe
