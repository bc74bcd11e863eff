#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// The parts between the marks, one more than there are marks: {"a", "", "b"} of "a,,b", {""} of "".
std::vector<std::string> split_at(char mark, std::string_view text);

} // namespace troupe
