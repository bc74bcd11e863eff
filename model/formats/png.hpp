#pragma once

#include "base/types.hpp"

#include <string>
#include <vector>

namespace troupe {

/// A picture with 8 bits per channel, row-major, from the top left.
struct Picture {
  Index width = 0, height = 0;      ///< pixels, > 0
  Index channels = 1;               ///< 1: grey, 3: red, green, blue
  std::vector<std::uint8_t> pixels; ///< [height, width, channels]
  // For a file that was read: properties that `pixels` does not keep.
  bool coloured = false;    ///< red, green and blue, or a palette of them
  bool transparent = false; ///< a channel of transparency
  bool deep = false;        ///< 16 bits per channel
};

/// Reads a PNG file as grey (1 channel) or red, green, blue (3), converting if necessary. Values
/// are those in the file, 16 bits rounded to 8; gamma and colour space (gAMA, sRGB, iCCP) are
/// ignored. Only for mixing are they taken as sRGB: grey has the luminance of the colours (0.2126
/// red, 0.7152 green, 0.0722 blue), and transparent pixels are blended with black.
/// @throws IoError if it cannot be read, DataError if it is no PNG, damaged or larger than
///         2^24 pixels
Picture read_png(const std::string& path, Index channels);

/// Writes a PNG file: first beside `path`, then renamed, so that a reader never sees half a file.
/// @throws std::invalid_argument for a picture with inconsistent sizes; IoError if the file
///         cannot be written; `path` is then unchanged
void write_png(const std::string& path, const Picture& picture);

} // namespace troupe
