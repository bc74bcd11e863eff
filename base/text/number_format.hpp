#pragma once

#include <string>
#include <string_view>

namespace troupe {

/// The format of a number, as in Python's format strings: "{:06d}", "{:12.10f}", "{:.3e}", "{:g}";
/// "{}" gives the shortest decimal that reads back as the same number.
///
///   {:[0][width][.precision]d|f|e|g}     0: filled up with zeros instead of spaces
class NumberFormat {
public:
  NumberFormat() = default; ///< "{}"
  /// @throws std::invalid_argument for any other text
  explicit NumberFormat(std::string_view text);

  /// The formatted number; "nan", "inf" and "-inf" if it is not finite. `d` rounds.
  std::string operator()(double x) const;

private:
  std::string format_; ///< fmt's; "": shortest
  bool rounds_ = false;
};

} // namespace troupe
