#pragma once

#include "model/tensor/random.hpp"

#include <span>

namespace troupe {

/// How much the handwriting varies; lengths in pixels unless stated otherwise. The defaults are
/// calibrated: see Digits.
struct DigitStyle {
  double height_min = 18.5, height_max = 21; ///< of the digit, uniform
  double aspect = 0.1;                       ///< standard deviation of log(width / usual width)
  double slant_mean = 0.12, slant = 0.15;    ///< shear to the right, tangent of the angle
  double rotation = 0.1;                     ///< standard deviation, radians
  double shift = 2.6;                        ///< of the centre, uniform in -shift .. shift
  double wobble = 0.022;             ///< standard deviation of each skeleton point, in heights
  double elastic = 0.8;              ///< amplitude of a displacement that waves over the picture
  double pen_min = 1, pen_max = 1.7; ///< radius of the pen, uniform
  double pressure = 0.2;             ///< relative change of that radius within a stroke
  double ink_min = 0.7;              ///< brightness of the stroke, uniform in ink_min .. 1
  double noise = 0.05;               ///< largest standard deviation of a pixel's noise
};

inline constexpr Index digit_size = 28; ///< height and width of the picture, pixels

/// Draws `digit` (0 .. 9) in random handwriting, white on black, into [28, 28] grey values, row by
/// row.
void draw_digit(int digit, Random& random, const DigitStyle& style, std::span<std::uint8_t> image);

} // namespace troupe
