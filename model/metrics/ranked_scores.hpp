#pragma once

#include "base/types.hpp"

#include <optional>
#include <vector>

namespace troupe {

/// The scores of positive and negative examples. Keeps all of them, 8 bytes each, so that parts
/// merge exactly.
class RankedScores {
public:
  void add(double score, bool positive) { (positive ? positive_ : negative_).push_back(score); }
  void merge(const RankedScores& other);

  /// The area under the receiver operating characteristic: the share of pairs of a positive and a
  /// negative example in which the positive one has the higher score, equal scores counting half.
  /// Hanley and McNeil, Radiology 143, 1982.
  /// @returns nothing if one of the two is missing, or a score is NaN
  std::optional<double> area() const;

private:
  std::vector<double> positive_, negative_;
};

} // namespace troupe
