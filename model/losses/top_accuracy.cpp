// top_5: the share of the rows whose class is among the 5 largest predictions; any number.
#include "base/text/number_in.hpp"
#include "model/losses/class_rows.hpp"
#include "model/losses/metric_kind.hpp"

#include <cmath>

namespace troupe {

namespace {

/// k of "top_k"; 0 for another name.
Index top_number(std::string_view name) {
  constexpr std::string_view prefix = "top_";
  if (!name.starts_with(prefix))
    return 0;
  return number_in<Index>(name.substr(prefix.size())).value_or(0);
}

/// How many numbers of the row rank before that of class `c`, larger ones first.
template <class Scalar>
Index rank_of(const Scalar* row, Index n, Index c) {
  if (std::isnan(row[c]))
    return n;
  Index rank = 0;
  for (Index j = 0; j < n; ++j)
    rank += row[j] > row[c] || (j < c && row[j] == row[c]);
  return rank;
}

template <class Scalar>
class TopAccuracy final : public PredictionMetric<Scalar> {
public:
  TopAccuracy(const std::vector<std::string>& names, const MetricTask<Scalar>& task) {
    for (const auto& name : names) {
      need_classes(name, task.target);
      if (top_number(name) > task.target.classes)
        refuse_metric(name, task.target, "as many classes");
      top_.push_back(top_number(name));
    }
  }

  void add(const Comparison<Scalar>& comparison, Metrics& metrics) const override {
    std::vector<double> within(top_.size());
    double count = 0;
    for (std::size_t i = 0; i < comparison.target.classes.size(); ++i) {
      const auto c = comparison.target.classes[i];
      if (c == masked_class)
        continue;
      ++count;
      const auto* row = comparison.prediction.data() + static_cast<Index>(i) * comparison.width;
      const auto rank = rank_of(row, comparison.width, c);
      for (std::size_t t = 0; t < top_.size(); ++t)
        within[t] += rank < top_[t];
    }
    for (std::size_t t = 0; t < top_.size(); ++t)
      metrics.add_mean("top_" + std::to_string(top_[t]), within[t], count);
  }

private:
  std::vector<Index> top_; // numbers k of top_k
};

MetricKind top_accuracy() {
  auto kind = metric_kind<TopAccuracy>("top_accuracy");
  kind.names = {"top_2", "top_3", "..."};
  kind.measures = [](std::string_view name) { return top_number(name) > 0; };
  return kind;
}

const RegisterMetric top_accuracy_kind{top_accuracy()};

} // namespace

} // namespace troupe
