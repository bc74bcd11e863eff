// Quantities that training_monitoring aggregates over the batches between two of its rows, beyond
// means.
#pragma once

#include "base/text/enum_names.hpp"
#include "messages/loop/extension.hpp"

#include <memory>
#include <string>

namespace troupe {

/// Derive from it for your own quantity and pass it to `spawn_training_monitoring`. Only that
/// extension's actor calls it.
class MonitoredQuantity {
public:
  virtual ~MonitoredQuantity() = default;

  /// Name of the record, between the prefix and the suffix of training_monitoring; unique within
  /// it.
  virtual std::string name() const = 0;

  /// Forgets all batches at the start of a new row.
  virtual void initialize() = 0;
  /// After each batch.
  virtual void aggregate(const LoopEvent& batch) = 0;
  /// The value over the batches since `initialize`; called only after at least one batch.
  virtual Value value() const = 0;

  /// What has to be remembered to go on in the middle of a row.
  virtual SavedFields state() const = 0;
  virtual void restore(const SavedFields& state) = 0;
};

/// How training_monitoring combines the losses of several batches.
enum class LossAggregation : std::uint8_t {
  weighted,    ///< mean over examples
  mean,        ///< mean over batches; a smaller last batch counts like the others
  last,        ///< loss of the last batch
  minimum,     ///< over batches; NaN only if all are NaN
  maximum,     ///< over batches; NaN only if all are NaN
  concatenate, ///< all losses, as a text: "0.5 0.25"
};
constexpr auto enum_names(LossAggregation) {
  return name_list("weighted", "mean", "last", "minimum", "maximum", "concatenate");
}

/// @returns the quantity "loss" for aggregations that need every batch (minimum, maximum,
/// concatenate), nullptr for those that running sums give.
std::shared_ptr<MonitoredQuantity> loss_quantity(LossAggregation aggregation);

} // namespace troupe
