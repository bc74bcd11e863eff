#pragma once

#include "model/data/wrapped_problem.hpp"

#include <vector>

namespace troupe::test {

/// A problem that shuffles by itself: row k is a different one each time it is read.
class SelfShuffled : public WrappedProblem {
public:
  using WrappedProblem::WrappedProblem;
  void gather(Section section, std::span<const Index> rows, Batch& batch) const override {
    std::vector<Index> others;
    for (const auto row : rows)
      others.push_back((row + turn_) % size(section));
    ++turn_;
    WrappedProblem::gather(section, others, batch);
  }

private:
  mutable Index turn_ = 0;
};

} // namespace troupe::test
