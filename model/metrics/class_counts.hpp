#pragma once

#include "base/types.hpp"

#include <vector>

namespace troupe {

/// Counts of each class: actual, predicted, and both. Sums, so that parts merge exactly.
class ClassCounts {
public:
  /// Makes room for classes 0 .. classes - 1. @param pairs also count each pair of classes
  void resize(Index classes, bool pairs);

  /// @param predicted nothing if no class was predicted
  void add(Index actual, Index predicted);
  void merge(const ClassCounts& other);

  Index classes() const { return static_cast<Index>(actual_.size()); }
  Index total() const;

  /// How often `predicted` was predicted where the class was `actual`. @pre resize with `pairs`
  Index pair(Index actual, Index predicted) const;

  /// Means over the classes that occur or were predicted, with equal weights ("macro"), where r
  /// rows of the class are predicted correctly, p are predicted and a are actual:
  ///
  ///   precision  r / p        recall  r / a        F1  2 r / (p + a)
  ///
  /// A quotient with denominator 0 is 0, as is the mean over no class.
  double precision() const;
  double recall() const;
  double f1() const;

private:
  template <class Score>
  double mean(Score score) const;

  std::vector<Index> right_, predicted_, actual_; // [classes]
  std::vector<Index> pairs_;                      // [classes, classes] or empty
};

} // namespace troupe
