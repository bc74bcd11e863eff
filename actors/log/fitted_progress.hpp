// A line of progress on a terminal: as wide as the window allows, in the characters that it has.
#pragma once

#include <string>

namespace troupe {

/// The text in at most `columns`. Its bar (of "━─" or "#.") becomes shorter, down to five columns;
/// then the parts between two blanks are left out, the first ones behind the bar first, so that the
/// time left stays longest; what then is too long is cut.
std::string fitted_progress(const std::string& text, int columns);

/// The bar's characters in ASCII, for a terminal that has no others.
std::string in_ascii(const std::string& text);

/// Whether this process's locale (LC_ALL, LC_CTYPE, LANG) has UTF-8.
bool locale_has_utf8();

} // namespace troupe
