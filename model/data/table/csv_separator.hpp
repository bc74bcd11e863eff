#pragma once

#include <string>
#include <string_view>

namespace troupe {

/// What parts the cells of a row.
struct CsvSeparator {
  char mark = ',';         ///< ' ' stands for runs of blanks and tabs
  bool names_rows = false; ///< the first row lacks a name for the first column, as R writes it
};

/// A separator that is known, with what its first rows say beside.
CsvSeparator known_separator(std::string_view text, char mark);

/// The separator of a text, by its first rows: of , ; tab | and blanks the one with which all have
/// as many cells; where several do, the one with the most columns of numbers, or the fewest others.
/// @param file for the sentence
/// @param likely of an earlier table, which decides where rows alone do not; '\0': none
/// @throws DataError where several fit alike.
CsvSeparator find_separator(std::string_view text, const std::string& file, char likely = '\0');

} // namespace troupe
