// What training_monitoring gathers over the batches between two of its rows, beyond means.
#pragma once

#include "messages/loop/extension.hpp"

#include <memory>
#include <string>

namespace troupe {

/// A quantity of one's own: derive from it and hand it to `spawn_training_monitoring`. It belongs
/// to one extension's actor, and is called from nowhere else.
class MonitoredQuantity {
public:
  virtual ~MonitoredQuantity() = default;

  /// Of the record, between the prefix and the suffix of training_monitoring; unique within it.
  virtual std::string name() const = 0;

  /// Forgets all batches: a new row begins.
  virtual void initialize() = 0;
  /// After each batch.
  virtual void aggregate(const LoopEvent& batch) = 0;
  /// Over the batches since `initialize`; called only where there was one.
  virtual Value value() const = 0;

  /// What has to be remembered to go on in the middle of a row.
  virtual Records state() const = 0;
  virtual void restore(const Records& state) = 0;
};

/// How training_monitoring makes one number of the losses of several batches.
enum class LossAggregation : std::uint8_t {
  weighted,    ///< mean over examples
  mean,        ///< mean over batches, a ragged last one counting like the others
  last,        ///< of the last batch
  minimum,     ///< over batches; NaN counts only where all are
  maximum,     ///< the same
  concatenate, ///< all of them, as a text: "0.5 0.25"
};

std::string to_string(LossAggregation aggregation);
bool from_text(std::string_view text, LossAggregation& aggregation); ///< false for an unknown word

/// @returns the quantity "loss" for those that need to see every batch (minimum, maximum,
///          concatenate), nullptr for the others, which running sums give.
std::shared_ptr<MonitoredQuantity> loss_quantity(LossAggregation aggregation);

} // namespace troupe
