#include "model/metrics/class_counts.hpp"

#include <algorithm>
#include <numeric>

namespace troupe {

namespace {

void add_elements(std::vector<Index>& sums, const std::vector<Index>& more) {
  std::transform(more.begin(), more.end(), sums.begin(), sums.begin(), std::plus<>{});
}

double share(Index part, Index whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

} // namespace

void ClassCounts::resize(Index classes, bool pairs) {
  if (classes <= this->classes() && (!pairs || !pairs_.empty()))
    return;
  const auto before = actual_.size(), n = std::max(before, static_cast<std::size_t>(classes));
  for (auto* counts : {&right_, &predicted_, &actual_})
    counts->resize(n);
  if (!pairs && pairs_.empty())
    return;
  std::vector<Index> wider(n * n);
  for (std::size_t row = 0; row < before && !pairs_.empty(); ++row)
    std::copy_n(pairs_.begin() + static_cast<Index>(row * before), before,
                wider.begin() + static_cast<Index>(row * n));
  pairs_ = std::move(wider);
}

void ClassCounts::add(Index actual, Index predicted) {
  const auto a = static_cast<std::size_t>(actual), p = static_cast<std::size_t>(predicted);
  ++actual_[a];
  if (p >= predicted_.size())
    return;
  ++predicted_[p];
  right_[a] += a == p;
  if (!pairs_.empty())
    ++pairs_[a * actual_.size() + p];
}

void ClassCounts::merge(const ClassCounts& other) {
  auto theirs = other;
  resize(theirs.classes(), !theirs.pairs_.empty());
  theirs.resize(classes(), !pairs_.empty());
  add_elements(right_, theirs.right_);
  add_elements(predicted_, theirs.predicted_);
  add_elements(actual_, theirs.actual_);
  add_elements(pairs_, theirs.pairs_);
}

Index ClassCounts::total() const {
  return std::accumulate(actual_.begin(), actual_.end(), Index{0});
}

Index ClassCounts::pair(Index actual, Index predicted) const {
  return pairs_[static_cast<std::size_t>(actual * classes() + predicted)];
}

template <class Score>
double ClassCounts::mean(Score score) const {
  double sum = 0;
  Index seen = 0;
  for (std::size_t c = 0; c < actual_.size(); ++c)
    if (predicted_[c] + actual_[c] > 0) {
      sum += score(right_[c], predicted_[c], actual_[c]);
      ++seen;
    }
  return seen == 0 ? 0 : sum / static_cast<double>(seen);
}

double ClassCounts::precision() const {
  return mean([](Index right, Index predicted, Index) { return share(right, predicted); });
}

double ClassCounts::recall() const {
  return mean([](Index right, Index, Index actual) { return share(right, actual); });
}

double ClassCounts::f1() const {
  return mean([](Index right, Index predicted, Index actual) {
    return share(2 * right, predicted + actual);
  });
}

} // namespace troupe
