#include "model/losses/metric_list.hpp"

#include "base/text/number_in.hpp"
#include "model/losses/class_rows.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace troupe {

namespace {

/// k of "top_k"; 0 for another name.
Index top_number(const std::string& name) {
  constexpr std::string_view prefix = "top_";
  if (!name.starts_with(prefix))
    return 0;
  return number_in<Index>(std::string_view{name}.substr(prefix.size())).value_or(0);
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

/// -log of the softmax at class `c`.
template <class Scalar>
double surprise(const Scalar* row, Index n, Index c) {
  const double largest = *std::max_element(row, row + n);
  double sum = 0;
  for (Index j = 0; j < n; ++j)
    sum += std::exp(row[j] - largest);
  return std::log(sum) + largest - row[c];
}

} // namespace

template <class Scalar>
MetricList<Scalar>::MetricList(const std::vector<std::string>& names, const FieldSpec& target,
                               std::shared_ptr<const Loss<Scalar>> loss)
  : loss_(std::move(loss)) {
  for (const auto& name : names)
    add_name(name, target);
}

template <class Scalar>
void MetricList<Scalar>::add_name(const std::string& name, const FieldSpec& target) {
  constexpr Index most_confused = 32;
  const auto of_classes = target.type == ElementType::class_index;
  const auto refuse = [&](const std::string& needs) {
    throw std::invalid_argument(
      "metric " + name + " needs " + needs + ", but the target is " + to_string(target)
      + (of_classes ? " of " + std::to_string(target.classes) + " classes" : "")
      + "; leave it out");
  };
  const auto counts = name == "precision" || name == "recall" || name == "f1";
  const auto k = top_number(name);
  if (!counts && k < 1 && name != "confusion" && name != "perplexity" && name != "auc")
    throw std::invalid_argument("there is no metric '" + name
                                + "'; known are top_2, top_3, ..., precision, recall, f1, "
                                  "confusion, perplexity, auc");
  if (name == "auc") {
    if (of_classes && target.classes != 2)
      refuse("two classes");
    if (!of_classes && loss_ && !loss_->is_binary())
      throw std::invalid_argument("metric auc needs binary targets, but " + loss_->name()
                                  + " compares any numbers; leave it out, or set "
                                  + "model.loss to a binary one, like binary_cross_entropy");
    auc_ = true;
    return;
  }
  if (!of_classes)
    refuse("classes");
  if (k > target.classes)
    refuse("as many classes");
  if (name == "confusion" && target.classes > most_confused)
    refuse("at most " + std::to_string(most_confused) + " classes");
  if (k > 0)
    top_.push_back(k);
  else if (name == "perplexity")
    perplexity_ = true;
  else
    class_metrics_.push_back(name);
}

template <class Scalar>
void MetricList<Scalar>::add(const Comparison<Scalar>& comparison, Metrics& metrics) const {
  if (!comparison.target.classes.empty())
    return add_classes(comparison, metrics);
  if (!auc_)
    return;
  auto& scores = metrics.scores();
  for (std::size_t i = 0; i < comparison.prediction.size(); ++i) {
    const auto prediction = comparison.prediction[i];
    if (const auto value = comparison.target.values[i]; !loss_ || loss_->counts(value))
      scores.add(loss_ ? loss_->score(prediction) : prediction, value > Scalar(0.5));
  }
}

template <class Scalar>
void MetricList<Scalar>::add_classes(const Comparison<Scalar>& comparison, Metrics& metrics) const {
  const auto n = comparison.width;
  const auto width = static_cast<std::size_t>(n);
  const auto& classes = comparison.target.classes;
  auto* counts = class_metrics_.empty() ? nullptr : &metrics.class_counts(class_metrics_, n);
  auto* scores = auc_ ? &metrics.scores() : nullptr;
  std::vector<double> within(top_.size());
  double surprises = 0, count = 0;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const auto c = classes[i];
    if (c == masked_class)
      continue;
    const auto* row = comparison.prediction.data() + static_cast<Index>(i) * n;
    ++count;
    const auto rank = top_.empty() ? 0 : rank_of(row, n, c);
    for (std::size_t t = 0; t < top_.size(); ++t)
      within[t] += rank < top_[t];
    if (counts != nullptr)
      counts->add(c, predicted_class(comparison.prediction.subspan(i * width, width)));
    if (perplexity_)
      surprises += surprise(row, n, c);
    if (scores != nullptr)
      scores->add(double{row[1]} - row[0], c == 1);
  }
  for (std::size_t t = 0; t < top_.size(); ++t)
    metrics.add_mean("top_" + std::to_string(top_[t]), within[t], count);
  if (perplexity_)
    metrics.add_exponential("perplexity", surprises, count);
}

template class MetricList<float>;
template class MetricList<double>;

} // namespace troupe
