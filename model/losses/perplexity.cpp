// perplexity: exp of the mean of -log p, where the softmax of the prediction gives the class p.
#include "model/losses/class_rows.hpp"
#include "model/losses/metric_kind.hpp"

#include <algorithm>
#include <cmath>

namespace troupe {

namespace {

/// -log of the softmax at class `c`.
template <class Scalar>
double surprise(const Scalar* row, Index n, Index c) {
  const double largest = *std::max_element(row, row + n);
  double sum = 0;
  for (Index j = 0; j < n; ++j)
    sum += std::exp(row[j] - largest);
  return std::log(sum) + largest - row[c];
}

template <class Scalar>
class Perplexity final : public PredictionMetric<Scalar> {
public:
  Perplexity(const std::vector<std::string>& names, const MetricTask<Scalar>& task) {
    need_classes(names.front(), task.target);
  }

  void add(const Comparison<Scalar>& comparison, Metrics& metrics) const override {
    double surprises = 0, count = 0;
    for (std::size_t i = 0; i < comparison.target.classes.size(); ++i)
      if (const auto c = comparison.target.classes[i]; c != masked_class) {
        const auto* row = comparison.prediction.data() + static_cast<Index>(i) * comparison.width;
        surprises += surprise(row, comparison.width, c);
        ++count;
      }
    metrics.add_exponential("perplexity", surprises, count);
  }
};

const RegisterMetric perplexity_kind{metric_kind<Perplexity>("perplexity")};

} // namespace

} // namespace troupe
