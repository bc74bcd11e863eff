#pragma once

#include "messages/inspection/inspect.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// A running sum that rounds nothing away, so that the difference of two of its moments is what
/// came in between, however large the numbers before were: of a sum in one double, 1e32 leaves
/// nothing of all losses that follow.
///
/// Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates",
/// Discrete & Computational Geometry 18, 1997, grow-expansion.
struct ExactSum {
  std::vector<double> parts; ///< whose exact sum it is: few, no two share a digit, the largest last
  std::uint64_t beyond = 0;  ///< numbers left out: those not finite, and those too large to add
  FIELDS(parts, beyond);

  void add(double x);
  /// NaN where a number was left out.
  double value() const;
  /// What was added after `before`, rounded once; NaN where a number of these was left out.
  double since(const ExactSum& before) const;

  /// For a state: how many are left out, and the parts: "0 0.5 1e+32".
  std::string text() const;
  /// @returns nothing where the text is none.
  static std::optional<ExactSum> from_text(std::string_view text);
};

/// The sum whose text a state has under this name; in an older one, that has none, what `rounded`
/// says of it.
ExactSum sum_in(const Records& state, const std::string& name, double rounded);

} // namespace troupe
