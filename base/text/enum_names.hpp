// The names of an enumeration's values. An enumeration numbered from 0 lists them beside itself, in
// the order of its values, and then has to_string and from_text:
//
//   constexpr auto enum_names(OnNan) { return name_list("stop", "ignore"); }
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace troupe {

/// The names as an array.
template <class... Name>
constexpr std::array<std::string_view, sizeof...(Name)> name_list(const Name&... names) {
  return {std::string_view{names}...};
}

/// An enumeration that lists its names.
template <class T>
concept NamedEnum = requires(T x) {
  enum_names(x);
};

/// "unknown" for a number without a name.
template <NamedEnum T>
std::string to_string(T x) {
  constexpr auto names = enum_names(T{});
  const auto i = static_cast<std::size_t>(x);
  return std::string{i < names.size() ? names[i] : "unknown"};
}

/// @returns false for an unknown name, and leaves `x` as it was.
template <NamedEnum T>
bool from_text(std::string_view text, T& x) {
  constexpr auto names = enum_names(T{});
  const auto found = std::find(names.begin(), names.end(), text);
  if (found == names.end())
    return false;
  x = static_cast<T>(found - names.begin());
  return true;
}

} // namespace troupe
