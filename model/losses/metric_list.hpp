#pragma once

#include "model/losses/metric_kind.hpp"

#include <memory>
#include <string>
#include <vector>

namespace troupe {

/// Metrics that a configuration asks for in addition to those of the loss (metric_kind.hpp). The
/// predicted class is the index of the first largest number of the row; there is none if one of
/// them is NaN.
template <class Scalar>
class MetricList {
public:
  /// @param loss the loss whose metrics these extend; null: all numbers count
  /// @throws std::invalid_argument, listing the known names, for another name, and for one that
  ///         does not fit the target
  MetricList(const std::vector<std::string>& names, const FieldSpec& target,
             std::shared_ptr<const Loss<Scalar>> loss = nullptr);

  /// Adds what each metric measures in the batch.
  void add(const Comparison<Scalar>& comparison, Metrics& metrics) const;

private:
  std::vector<std::shared_ptr<const PredictionMetric<Scalar>>> metrics_;
};

} // namespace troupe
