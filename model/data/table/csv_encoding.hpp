#pragma once

#include <string>

namespace troupe {

/// The text of a file converted to UTF-8 from the encoding of its byte-order mark.
struct Utf8Text {
  std::string text; ///< without the byte-order mark
  std::string from; ///< "UTF-16" if it was converted, else ""
};

/// @param file for messages
/// @throws DataError for a UTF-32 mark and for invalid UTF-16
Utf8Text utf8_text(std::string bytes, const std::string& file);

} // namespace troupe
