#pragma once

#include "model/data/batch.hpp"
#include "model/data/problem.hpp"
#include "model/losses/target_kind.hpp"
#include "model/metrics/metrics.hpp"

#include <memory>
#include <span>
#include <string>

namespace troupe {

/// What a loss looks at: predictions, row-major with rows of `width`, and what they should have
/// been.
template <class Scalar>
struct Comparison {
  std::span<const Scalar> prediction;
  Index width = 1; ///< the last size of the prediction's shape
  const BasicBatchField<Scalar>& target;
  double unit = 1; ///< of the target (FieldSpec): what errors are told in
};

/// What a configuration can say of a loss.
struct LossOptions {
  std::string name;
  double label_smoothing = 0; ///< of the cross-entropies over classes, 0 .. < 1
};

/// A mean over the batch, to be made small, and the metrics that belong to it. Without state: all
/// threads may share one.
template <class Scalar>
class Loss {
public:
  virtual ~Loss() = default;

  virtual std::string name() const = 0; ///< as in the options, "softmax_cross_entropy"
  virtual TargetKind target_kind() const = 0;

  /// @returns the mean loss; writes its gradient w.r.t. the prediction, as long as the prediction.
  /// @throws std::invalid_argument where the target does not fit the prediction.
  virtual double loss_and_gradient(const Comparison<Scalar>& comparison,
                                   std::span<Scalar> gradient) const = 0;

  /// Adds "loss", weighted with the rows or numbers that count, and this loss's other metrics.
  /// @param scratch overwritten; as long as the prediction.
  void evaluate(const Comparison<Scalar>& comparison, std::span<Scalar> scratch,
                Metrics& metrics) const;

  /// Whether the mean is over a number of the target that is `value`; losses on classes tell by the
  /// class.
  virtual bool counts(Scalar /*value*/) const { return true; }

  /// Whether a number of the target says yes or no, so that predictions can be ranked (`auc`); else
  /// it is a quantity.
  virtual bool has_sides() const { return false; }

  /// Ranks predictions where targets have sides: the larger, the more the prediction says yes.
  virtual double score(Scalar prediction) const { return prediction; }

  /// How many rows (losses on classes) or numbers of the target the mean is over. Looks at the
  /// target only, so that it can be told without a prediction.
  virtual double counted(const Comparison<Scalar>& comparison) const;

private:
  virtual void add_metrics(const Comparison<Scalar>& comparison, Metrics& metrics) const = 0;
};

/// Number `at` of the target is none that the loss can compare with.
/// @throws std::invalid_argument always: with the place, what is needed, and the cure.
[[noreturn]] void refuse_target(const std::string& loss, std::size_t at, double value,
                                const std::string& needed);

} // namespace troupe
