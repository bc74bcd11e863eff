#pragma once

#include "base/types.hpp"

#include <optional>
#include <vector>

namespace troupe {

/// The scores of positive and negative examples; keeps them all, 8 bytes each, so that parts merge
/// exactly.
class RankedScores {
public:
  void add(double score, bool positive) { (positive ? positive_ : negative_).push_back(score); }
  void merge(const RankedScores& other);

  /// The area under the receiver operating characteristic: the share of pairs of a positive and a
  /// negative in which the positive has the higher score, equal scores counting half.
  /// Hanley and McNeil, Radiology 143, 1982.
  /// @returns none where one of the two is missing, or a score is not a number.
  std::optional<double> area() const;

private:
  std::vector<double> positive_, negative_;
};

} // namespace troupe
