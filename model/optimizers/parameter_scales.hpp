#pragma once

#include "model/tensor/layout.hpp"

#include <span>
#include <string>
#include <vector>

namespace troupe {

/// The share of an optimizer's settings that applies to some parameters. It is relative to the
/// current settings, which a schedule may change.
struct ParameterScale {
  std::string match;        ///< names, in the syntax of Layout::freeze: "*.bias", "embedding0.*"
  double learning_rate = 1; ///< >= 0; 0: they do not move, weight decay included
  double weight_decay = 1;  ///< >= 0
  TROUPE_FIELDS(match, learning_rate, weight_decay);
  friend bool operator==(const ParameterScale&, const ParameterScale&) = default;
};

/// Consecutive elements of a block with the same shares.
struct ScaledStretch {
  Index begin = 0, size = 0;                  ///< first element, and how many
  double learning_rate = 1, weight_decay = 1; ///< shares of the settings
  friend bool operator==(const ScaledStretch&, const ScaledStretch&) = default;
};

/// The whole block, cut where a share changes; if several scales match a parameter, the last one
/// applies. Empty if there are no scales.
/// @throws std::invalid_argument for a share that is negative or NaN, and for a scale that matches
///         no parameter, with the known names
std::vector<ScaledStretch> scaled_stretches(const Layout& layout,
                                            std::span<const ParameterScale> scales);

} // namespace troupe
