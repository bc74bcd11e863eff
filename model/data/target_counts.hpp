#pragma once

#include "model/data/problem.hpp"

#include <vector>

namespace troupe {

/// A summary of the targets of a section.
struct TargetCounts {
  Index examples = 0;
  std::vector<Index> classes; ///< count of each class; empty if targets are numbers
  Index masked = 0;           ///< positions without a class
  Index numbers = 0;          ///< where targets are numbers
  float least = 0, most = 0;  ///< of the numbers

  Index different_classes() const;
};

/// Counts the first target of every example of a section.
TargetCounts count_targets(const Problem& problem, Section section);

} // namespace troupe
