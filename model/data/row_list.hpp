// Rows of a section as people choose them, and as files keep them.
#pragma once

#include "base/types.hpp"

#include <string>
#include <vector>

namespace troupe {

/// The rows that some texts name, in their order. A text has numbers from 0, ranges and names of
/// files, separated by commas; a file has numbers and ranges, separated by commas, spaces or lines.
///
///   3, 17, 5       rows 3, 17 and 5
///   0..100         rows 0 to 99: the first number is in the range, the second is not
///   split_a.txt    what the file says, from the working directory, plain or gzip
///
/// @param size of the section: all rows are below it.
/// @throws std::invalid_argument for what is none of the three, for a row that the section does not
/// have, and for one that is named twice; FileError where a file cannot be read, DataError where
/// what it says is wrong.
std::vector<Index> parse_rows(const std::vector<std::string>& texts, Index size);

/// "3, 17, 5\n", as parse_rows reads it from a file.
std::string list_text(const std::vector<Index>& rows);

} // namespace troupe
