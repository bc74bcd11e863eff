#pragma once

#include "base/types.hpp"

#include <vector>

namespace troupe {

/// How often each class was there, was predicted, and both: sums, so that parts merge exactly.
class ClassCounts {
public:
  /// Makes room for classes 0 .. classes - 1. @param pairs also count each pair of classes
  void resize(Index classes, bool pairs);

  /// @param predicted none where it is no class
  void add(Index actual, Index predicted);
  void merge(const ClassCounts& other);

  Index classes() const { return static_cast<Index>(actual_.size()); }
  Index total() const;

  /// How often `predicted` was predicted where `actual` was there. @pre resize with `pairs`
  Index pair(Index actual, Index predicted) const;

  /// Means over the classes that were there or were predicted, each weighing the same ("macro"),
  /// where r rows are rightly predicted, p predicted and a actually of the class:
  ///
  ///   precision  r / p        recall  r / a        F1  2 r / (p + a)
  ///
  /// A quotient with nothing below the line is 0, as is the mean over no class.
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
