#pragma once

#include <string>

namespace troupe {

/// Text of a file in UTF-8, whatever its byte-order mark says that it is in.
struct Utf8Text {
  std::string text; ///< without the mark
  std::string from; ///< "UTF-16" where it was converted, else ""
};

/// @param file for the sentence
/// @throws DataError where the mark is UTF-32's, or UTF-16 is broken.
Utf8Text utf8_text(std::string bytes, const std::string& file);

} // namespace troupe
