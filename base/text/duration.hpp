// Durations as people write them: 90, 90s, 250ms, 15m, 1.5h, 2d, 12:00:00, 1-12:00:00.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace troupe {

/// Parses a duration.
///
///   90  90s  250ms  15m  12h  1.5h  2d      a decimal number and its unit, seconds without one
///   H:MM:SS                                 any number of hours; minutes and seconds below 60
///   D-HH:MM:SS                              as Slurm writes a walltime; hours below 24
///   inf                                     no end
///
/// @throws std::invalid_argument for anything else, negative lengths included: a sentence that
///         begins with the text in quotes and ends with what to write.
std::chrono::duration<double> parse_duration(std::string_view text);

/// A whole number of the largest unit that divides it, otherwise seconds: "2d", "36h", "90s",
/// "250ms", "1.5s", "inf". `parse_duration` reads it back as the same number, bit for bit. Negative
/// lengths and NaN, which `parse_duration` refuses, are printed as "-1s" and "nans".
std::string print_duration(std::chrono::duration<double> length);

/// The nanoseconds that clocks and timers count. They have no infinity: everything longer than 31
/// years, "inf" included, becomes 10^9 s.
std::chrono::nanoseconds timespan_of(double seconds);

/// "2.5s": a measured duration to a tenth of a second.
std::string rounded_length(double seconds);

/// "12:00:00", "36:00:00": the form in which batch schedulers take a walltime. Rounded up to whole
/// seconds. "inf" for an infinite length or one longer than 2^53 s; "0:00:00" for a negative
/// length.
std::string clock_text(std::chrono::duration<double> length);

} // namespace troupe
