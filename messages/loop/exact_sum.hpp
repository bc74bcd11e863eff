#pragma once

#include "base/fields.hpp"

#include <cstdint>
#include <vector>

namespace troupe {

/// A running sum without rounding, so that the difference of two of its states is exactly what was
/// added in between, however large the earlier numbers were. In a plain double, 1e32 would swallow
/// all losses that follow.
///
/// Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates",
/// Discrete & Computational Geometry 18, 1997, grow-expansion.
struct ExactSum {
  std::vector<double> parts; ///< their exact sum: few numbers without overlapping digits, the
                             ///< largest last
  std::uint64_t beyond = 0;  ///< numbers left out: not finite, or too large to add
  TROUPE_FIELDS(parts, beyond);

  void add(double x);
  /// NaN if a number was left out.
  double value() const;
  /// What was added after `before`, rounded once; NaN if one of these numbers was left out.
  double since(const ExactSum& before) const;
};

} // namespace troupe
