#pragma once

#include "base/types.hpp"

#include <string>
#include <vector>

namespace troupe {

/// A picture of 8 bits per channel, row-major, from the top left.
struct Picture {
  Index width = 0, height = 0;      ///< pixels, > 0
  Index channels = 1;               ///< 1: grey, 3: red, green, blue
  std::vector<std::uint8_t> pixels; ///< [height, width, channels]
  // Of a file that was read: what it stores beyond what `pixels` keeps.
  bool coloured = false;    ///< red, green and blue, or a palette of them
  bool transparent = false; ///< a channel of transparency
  bool deep = false;        ///< 16 bits per channel
};

/// Reads a PNG file as grey (1 channel) or red, green, blue (3), whatever it holds. Numbers are the
/// file's own, of 16 bits the nearest of 8; gamma and colour space (gAMA, sRGB, iCCP) do not count.
/// Only to mix are they taken as sRGB's: grey has the light of its colours (0.2126 red, 0.7152
/// green, 0.0722 blue), and what is transparent is laid on black.
/// @throws FileError where it cannot be read, DataError where it is no PNG, damaged or larger than
/// 2^24 pixels.
Picture read_png(const std::string& path, Index channels);

/// Writes a PNG file: first beside `path`, then renamed, so that nobody ever sees half of one.
/// @throws std::invalid_argument for a picture whose sizes do not fit together; FileError where the
///         file cannot be written, `path` is then as it was.
void write_png(const std::string& path, const Picture& picture);

} // namespace troupe
