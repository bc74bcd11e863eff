#include "model/data/target_counts.hpp"

#include <algorithm>
#include <numeric>

namespace troupe {

namespace {

void add_targets(const BasicBatchField<float>& target, TargetCounts& counts) {
  for (const auto label : target.classes)
    if (label >= 0 && label < static_cast<Index>(counts.classes.size()))
      ++counts.classes[static_cast<std::size_t>(label)];
    else
      ++counts.masked;
  for (const auto value : target.values) {
    counts.least = counts.numbers == 0 ? value : std::min(counts.least, value);
    counts.most = counts.numbers == 0 ? value : std::max(counts.most, value);
    ++counts.numbers;
  }
}

} // namespace

Index TargetCounts::different_classes() const {
  return std::count_if(classes.begin(), classes.end(), [](Index count) { return count > 0; });
}

TargetCounts count_targets(const Problem& problem, Section section) {
  constexpr Index at_once = 256;
  TargetCounts counts;
  const auto& targets = problem.spec().targets;
  if (targets.empty())
    return counts;
  counts.classes.resize(static_cast<std::size_t>(targets[0].classes));
  const auto size = problem.size(section);
  Batch batch;
  std::vector<Index> rows;
  for (Index begin = 0; begin < size; begin += at_once) {
    rows.resize(static_cast<std::size_t>(std::min(at_once, size - begin)));
    std::iota(rows.begin(), rows.end(), begin);
    problem.gather(section, rows, batch);
    add_targets(batch.targets[0], counts);
  }
  counts.examples = size;
  return counts;
}

} // namespace troupe
