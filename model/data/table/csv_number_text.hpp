// The parts of one number as people write it.
#pragma once

#include <optional>
#include <string_view>

namespace troupe {

struct WrittenNumber {
  double value = 0;
  std::string_view before, after; ///< what stands around it, such as $ and m2
  bool accounting = false;        ///< negative by parentheses, or by a minus behind it
};

/// Takes a cell apart that is a number with such a decimal mark.
std::optional<WrittenNumber> written_number(std::string_view cell, char decimal);

} // namespace troupe
