#pragma once

#include <initializer_list>
#include <string_view>

namespace troupe {

/// Finds the value that `to_string` writes as `text` among the known values.
/// @returns false for an unknown word, and leaves `value` as it was.
template <class Enum, class Known = std::initializer_list<Enum>>
bool from_known_word(std::string_view text, Enum& value, const Known& known) {
  for (const Enum each : known)
    if (text == to_string(each)) {
      value = each;
      return true;
    }
  return false;
}

} // namespace troupe
