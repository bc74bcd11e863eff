#pragma once

#include "model/data/batch.hpp"

#include <span>
#include <string>
#include <vector>

namespace troupe {

/// A number that somebody counts of each batch.
struct Statistic {
  std::string name;
  std::string format = "{:12.10f}"; ///< as NumberFormat reads it (base/text/number_format.hpp)
};

/// What a problem or a model has to say of each batch besides its loss: a class that implements
/// this next to Problem or Model is asked in tests, and in training where somebody wants it.
class StatisticsSource {
public:
  virtual ~StatisticsSource() = default;

  /// The same ones each time.
  virtual std::vector<Statistic> statistics() const = 0;

  /// One value for each of them, in their order.
  /// @param batch that is trained on, or measured
  /// @param prediction of the parameters before its update, [batch.size, prediction().width()];
  ///        empty unless `reads_prediction`
  virtual std::vector<double> collect_statistics(const Batch& batch,
                                                 std::span<const float> prediction) const = 0;

  /// Whether it needs the prediction, which costs a forward pass for each batch.
  virtual bool reads_prediction() const { return false; }
};

/// What a problem or a model counts; nothing where it counts nothing.
template <class Component>
std::vector<Statistic> statistics_of(const Component& component) {
  const auto* source = dynamic_cast<const StatisticsSource*>(&component);
  return source == nullptr ? std::vector<Statistic>{} : source->statistics();
}

} // namespace troupe
