// Parses one number as people write it.
#pragma once

#include <optional>
#include <string_view>

namespace troupe {

struct WrittenNumber {
  double value = 0;
  std::string_view before, after; ///< text around it, such as $ and m2
  bool accounting = false;        ///< negative by parentheses or a trailing minus
};

/// Splits a cell into the parts of a number with the given decimal mark.
std::optional<WrittenNumber> written_number(std::string_view cell, char decimal);

} // namespace troupe
