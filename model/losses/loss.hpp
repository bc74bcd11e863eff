#pragma once

#include "model/data/batch.hpp"
#include "model/data/problem.hpp"
#include "model/formulas/device_loss.hpp"
#include "model/losses/target_kind.hpp"
#include "model/metrics/metrics.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>

namespace troupe {

/// Predictions, row-major with rows of `width`, and their targets.
template <class Scalar>
struct Comparison {
  std::span<const Scalar> prediction;    ///< rows x width
  Index width = 1;                       ///< the last dimension of the prediction's shape
  const BasicBatchField<Scalar>& target; ///< of the same rows
  double unit = 1; ///< unit of the target (FieldSpec), in which errors are reported
};

/// The configuration of a loss.
struct LossOptions {
  std::string name;           ///< of its kind
  double label_smoothing = 0; ///< for cross-entropies over classes, 0 .. < 1
};

/// A mean over the batch, to be minimised, with its metrics. Stateless: threads may share one.
template <class Scalar>
class Loss {
public:
  virtual ~Loss() = default;

  virtual std::string name() const = 0; ///< as in the configuration, "softmax_cross_entropy"
  /// What its targets are: numbers, or classes.
  virtual TargetKind target_kind() const = 0;

  /// @returns the mean loss; writes its gradient w.r.t. the prediction, as long as the prediction
  /// @throws std::invalid_argument if the target does not fit the prediction
  virtual double loss_and_gradient(const Comparison<Scalar>& comparison,
                                   std::span<Scalar> gradient) const = 0;

  /// Adds "loss", weighted by the rows or numbers that count, and this loss's other metrics.
  /// @param scratch overwritten; as long as the prediction
  void evaluate(const Comparison<Scalar>& comparison, std::span<Scalar> scratch,
                Metrics& metrics) const;

  /// True if a target number of this value counts in the mean; for losses on classes, where the
  /// class counts.
  virtual bool counts(Scalar /*value*/) const { return true; }

  /// True if a target number is positive or negative, so that predictions can be ranked (`auc`);
  /// false if it is a quantity.
  virtual bool is_binary() const { return false; }

  /// Ranks predictions of binary targets: the larger, the more likely positive.
  virtual double score(Scalar prediction) const { return prediction; }

  /// The number of rows (losses on classes) or target numbers that the mean is over. Depends on the
  /// target only, so that it is known without a prediction.
  virtual double weight(const Comparison<Scalar>& comparison) const;

  /// How a graphics card computes it; nothing where it cannot.
  virtual std::optional<DeviceLoss> device_loss() const { return {}; }

private:
  virtual void add_metrics(const Comparison<Scalar>& comparison, Metrics& metrics) const = 0;
};

/// Reports that number `at` of the target does not suit the loss.
/// @throws std::invalid_argument always: with the place, what is needed, and the cure
[[noreturn]] void refuse_target(const std::string& loss, std::size_t at, double value,
                                const std::string& needed);

} // namespace troupe
