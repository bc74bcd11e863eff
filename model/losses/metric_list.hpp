#pragma once

#include "model/losses/loss.hpp"

#include <memory>
#include <string>
#include <vector>

namespace troupe {

/// Metrics that a configuration asks for in addition to those of the loss:
///
///   top_5       share of the rows whose class is among the 5 largest predictions; any number
///   precision, recall, f1   means over the classes, also if there are two (class_counts.hpp)
///   confusion   one metric for each pair of up to 32 classes, confusion_0_1: how often 1 was
///               predicted where the class was 0
///   perplexity  exp of the mean of -log p, where the softmax of the prediction gives the class p
///   auc         for two classes, or for targets above and not above 1/2 with a suitable loss
///               (ranked_scores.hpp)
///
/// Masked rows and numbers that the loss ignores do not count. The predicted class is the index of
/// the first largest number of the row; there is none if one of them is NaN. Numeric targets
/// support auc only.
template <class Scalar>
class MetricList {
public:
  /// @param loss the loss whose metrics these extend; null: all numbers count
  /// @throws std::invalid_argument, listing the known names, for another name, and for one that
  ///         does not fit the target
  MetricList(const std::vector<std::string>& names, const FieldSpec& target,
             std::shared_ptr<const Loss<Scalar>> loss = nullptr);

  void add(const Comparison<Scalar>& comparison, Metrics& metrics) const;

private:
  void add_name(const std::string& name, const FieldSpec& target);
  void add_classes(const Comparison<Scalar>& comparison, Metrics& metrics) const;

  std::shared_ptr<const Loss<Scalar>> loss_;
  std::vector<Index> top_;                 // numbers k of top_k
  std::vector<std::string> class_metrics_; // computed by ClassCounts
  bool perplexity_ = false, auc_ = false;
};

} // namespace troupe
