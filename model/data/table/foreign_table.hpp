#pragma once

#include <string>
#include <string_view>

namespace troupe {

/// Refuses a file that begins as another format than CSV does, with how to make CSV of it.
/// @throws DataError
void refuse_foreign_table(std::string_view bytes, const std::string& path);

} // namespace troupe
