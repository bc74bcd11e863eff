#pragma once

#include <string>
#include <string_view>

namespace troupe {

/// The separator of the cells in a row.
struct CsvSeparator {
  char mark = ',';         ///< ' ' stands for runs of blanks and tabs
  bool names_rows = false; ///< the first row has no name for the first column, as R writes it
};

/// A separator that the options give, with `names_rows` from the first rows.
CsvSeparator known_separator(std::string_view text, char mark);

/// Finds the separator of a table by its first rows: the one of , ; tab | ^ ~ and blanks with which
/// all rows have equally many cells; if several fit, the one with the most columns of numbers, or
/// the fewest other columns.
/// @param file for messages
/// @param likely of the fitted table, which decides where rows alone do not; '\0': none
/// @throws DataError if several fit equally well
CsvSeparator find_separator(std::string_view text, const std::string& file, char likely = '\0');

} // namespace troupe
