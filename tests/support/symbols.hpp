// The symbols of a recall task.
#pragma once

#include "model/data/problem.hpp"

#include <algorithm>
#include <vector>

namespace troupe::test {

/// How many symbols each of the rows has to remember: one target per symbol.
inline std::vector<Index> symbols_in(const Problem& problem, Section section,
                                     const std::vector<Index>& rows) {
  Batch batch;
  problem.gather(section, rows, batch);
  const auto places = problem.spec().targets[0].width();
  std::vector<Index> symbols;
  for (Index i = 0; i < batch.size; ++i) {
    const auto first = batch.targets[0].classes.begin() + i * places;
    symbols.push_back(places - std::count(first, first + places, masked_class));
  }
  return symbols;
}

} // namespace troupe::test
