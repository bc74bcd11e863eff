#pragma once

#include "model/losses/loss.hpp"

#include <memory>
#include <string>
#include <vector>

namespace troupe {

/// Metrics that a configuration asks for beside those of the loss:
///
///   top_5       share of the rows whose class is among the 5 largest predictions; any number
///   precision, recall, f1   means over the classes, also where there are two (class_counts.hpp)
///   confusion   one metric for each pair of up to 32 classes, confusion_0_1: how often 1 was
///               predicted where 0 was there
///   perplexity  exp of the mean of -log p, where the softmax of the prediction gives the class p
///   auc         of two classes, or of targets above and not above 1/2 with a loss for such
///               (ranked_scores.hpp)
///
/// Masked rows do not count, nor numbers that the loss leaves out. The class predicted is that of
/// the first largest number of the row, none where one of them is NaN. Targets that are numbers
/// know only auc.
template <class Scalar>
class MetricList {
public:
  /// @param loss that the metrics stand beside; null: all numbers count
  /// @throws std::invalid_argument, listing the known names, for another name, and for one that
  /// does not fit the target.
  MetricList(const std::vector<std::string>& names, const FieldSpec& target,
             std::shared_ptr<const Loss<Scalar>> loss = nullptr);

  void add(const Comparison<Scalar>& comparison, Metrics& metrics) const;

private:
  void add_name(const std::string& name, const FieldSpec& target);
  void add_classes(const Comparison<Scalar>& comparison, Metrics& metrics) const;

  std::shared_ptr<const Loss<Scalar>> loss_;
  std::vector<Index> top_;                 // numbers k of top_k
  std::vector<std::string> class_metrics_; // those of ClassCounts
  bool perplexity_ = false, auc_ = false;
};

} // namespace troupe
