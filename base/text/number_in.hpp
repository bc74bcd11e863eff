#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace troupe {

/// Parses a text that is a number as a whole, as std::from_chars does: no blanks, no '+', the same
/// in every locale. Nothing for other texts, and for numbers that `Number` cannot hold.
template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number number{};
  const auto* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stop != end)
    return std::nullopt;
  return number;
}

} // namespace troupe
