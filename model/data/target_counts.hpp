#pragma once

#include "model/data/problem.hpp"

#include <vector>

namespace troupe {

/// What the targets of a section are, all together.
struct TargetCounts {
  Index examples = 0;
  std::vector<Index> classes; ///< how often each class is there; none where targets are numbers
  Index masked = 0;           ///< places without a class
  Index numbers = 0;          ///< where targets are numbers
  float least = 0, most = 0;  ///< of these

  Index different_classes() const;
};

/// Counts the first target of every example of a section: its own class, and numbers.
TargetCounts count_targets(const Problem& problem, Section section);

} // namespace troupe
