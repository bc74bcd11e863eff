// A line of progress on a terminal: as wide as the window allows, in the characters that it
// supports.
#pragma once

#include <string>

namespace troupe {

/// The text in at most `columns`. First its bar (of "━─" or "#.") is shortened, down to five
/// columns; then parts between double blanks are dropped, starting after the bar, so that the time
/// left is kept longest; finally the rest is cut.
std::string fitted_progress(const std::string& text, int columns);

/// The text with ASCII bars, for terminals without UTF-8.
std::string in_ascii(const std::string& text);

/// Whether this process's locale (LC_ALL, LC_CTYPE, LANG) has UTF-8.
bool locale_has_utf8();

} // namespace troupe
