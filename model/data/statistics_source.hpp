#pragma once

#include "model/data/batch.hpp"

#include <span>
#include <string>
#include <vector>

namespace troupe {

/// A number that is computed for each batch.
struct Statistic {
  std::string name;                 ///< of its column
  std::string format = "{:12.10f}"; ///< in the syntax of NumberFormat (base/text/number_format.hpp)
};

/// Numbers that a problem or a model computes for each batch besides the loss. A class that
/// implements this in addition to Problem or Model is asked in tests, and in training where
/// statistics are configured.
class StatisticsSource {
public:
  virtual ~StatisticsSource() = default;

  /// The same ones each time.
  virtual std::vector<Statistic> statistics() const = 0;

  /// One value for each statistic, in order.
  /// @param batch the batch that is trained on or measured
  /// @param prediction for the parameters before the update, [batch.size, prediction().width()];
  ///        empty unless `reads_prediction`
  virtual std::vector<double> collect_statistics(const Batch& batch,
                                                 std::span<const float> prediction) const = 0;

  /// True if it needs the prediction, which costs a forward pass per batch.
  virtual bool reads_prediction() const { return false; }
};

/// The statistics of a problem or a model; empty if it has none.
template <class Component>
std::vector<Statistic> statistics_of(const Component& component) {
  const auto* source = dynamic_cast<const StatisticsSource*>(&component);
  return source == nullptr ? std::vector<Statistic>{} : source->statistics();
}

} // namespace troupe
