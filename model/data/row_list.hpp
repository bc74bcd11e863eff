// Lists of rows of a section, as people write them and as files store them.
#pragma once

#include "base/types.hpp"

#include <string>
#include <vector>

namespace troupe {

/// The rows that some texts name, in order. A text has numbers from 0, ranges and names of files,
/// separated by commas; a file has numbers and ranges, separated by commas, spaces or lines.
///
///   3, 17, 5       rows 3, 17 and 5
///   0..100         rows 0 to 99: the first number is included, the second is not
///   split_a.txt    the rows in the file, relative to the working directory, plain or gzip
///
/// @param size of the section: all rows must be below it
/// @throws std::invalid_argument for any other text, for a row that the section does not have, and
///         for a duplicate; IoError if a file cannot be read, DataError if its content is
///         invalid
std::vector<Index> parse_rows(const std::vector<std::string>& texts, Index size);

/// "3, 17, 5
/// ", the format that parse_rows reads.
std::string list_text(const std::vector<Index>& rows);

} // namespace troupe
