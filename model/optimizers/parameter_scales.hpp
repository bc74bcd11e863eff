#pragma once

#include "model/tensor/layout.hpp"

#include <span>
#include <string>
#include <vector>

namespace troupe {

/// By what share of an optimizer's settings some parameters move. They follow what changes these
/// settings later, such as a schedule.
struct ParameterScale {
  std::string match;        ///< names, as Layout::freeze takes them: "*.bias", "embedding0.*"
  double learning_rate = 1; ///< >= 0; 0: they stay, weight decay included
  double weight_decay = 1;  ///< >= 0
  FIELDS(match, learning_rate, weight_decay);
  friend bool operator==(const ParameterScale&, const ParameterScale&) = default;
};

/// Elements one after the other in a block that have the same share.
struct ScaledStretch {
  Index begin = 0, size = 0;
  double learning_rate = 1, weight_decay = 1;
  friend bool operator==(const ScaledStretch&, const ScaledStretch&) = default;
};

/// The whole block, cut where a share changes; of several scales that fit a parameter the last
/// counts. Nothing where there are no scales.
/// @throws std::invalid_argument for a share that is negative or no number, and for a scale that
///         fits no parameter, with the known names.
std::vector<ScaledStretch> scaled_stretches(const Layout& layout,
                                            std::span<const ParameterScale> scales);

} // namespace troupe
