#pragma once

#include "base/text/enum_names.hpp"
#include "model/data/batch_reader.hpp"
#include "model/optimizers/optimizer.hpp"
#include "model/training/model.hpp"
#include "model/training/step_result.hpp"

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace troupe {

class BlockPark;

/// What to do with a batch whose loss or gradient is not finite.
enum class NanPolicy : std::uint8_t {
  stop,   ///< training fails, naming the batch; only the edges of the gradient are checked
  skip,   ///< the batch changes nothing and is counted
  ignore, ///< the gradient is used as it is
  remove, ///< elements of the gradient that are not finite count as 0
};
/// How configurations write the values.
constexpr auto enum_names(NanPolicy) { return name_list("stop", "skip", "ignore", "remove"); }

/// How a gradient is bounded before its update.
struct ClippingOptions {
  double element = 0;        ///< each element into [-element, element]; 0: off
  double norm = 0;           ///< the whole gradient to at most this L2 norm; 0: off
  double parameter_norm = 0; ///< before that, each parameter's gradient to this L2 norm; 0: off
  TROUPE_FIELDS(element, norm, parameter_norm);
};

/// What a learner does besides the optimizer's step.
struct LearnerOptions {
  ClippingOptions clipping = {};   ///< of the gradient
  NanPolicy nan = NanPolicy::stop; ///< what a batch without a finite loss or gradient does
  RandomKey noise = {};    ///< of this run and worker, for random numbers in training (dropout)
  bool statistics = false; ///< whether to collect the statistics of problem and model for each
                           ///< batch
  std::vector<ParameterScale> scales = {}; ///< shares of the optimizer's settings
  std::shared_ptr<BlockPark> park = {};    ///< takes what release_step() leaves; null: memory does
};

/// A model, its data and its optimizer: takes training steps. All of training except the loop
/// around it, without actors; use it from one thread at a time.
///
///   rows -> gather -> loss and gradient -> clip -> optimizer step
///
/// All parameters are in one block of floats. Clipping and the optimizer apply to trained
/// parameters; a frozen parameter stays, a statistic changes by what the model says
/// (ParameterRole).
///
/// Where the steps are computed is the matter of a derived class: HostLearner, DeviceLearner. One
/// that computes elsewhere may return from update() before the step is done; its result comes
/// later.
class Learner {
public:
  virtual ~Learner() = default;

  /// Draws the initial parameters.
  void initialize(RandomKey key);

  /// Of the parameters.
  const Layout& layout() const { return model_->layout(); }
  /// Which rows make up which batch.
  const BatchOrder& order() const { return reader_.order(); }
  /// How it reads batches; a loader gets a copy.
  const BatchReader& reader() const { return reader_; }
  /// What is trained.
  const Model& model() const { return *model_; }
  /// What it learns from.
  const Problem& problem() const { return reader_.problem(); }

  /// For its settings; its state is in the four functions that follow.
  Optimizer& optimizer() { return *optimizer_; }
  /// Steps that the optimizer has taken.
  virtual Step optimizer_steps() { return optimizer_->steps(); }
  /// The optimizer's state, as of the last step.
  virtual const std::vector<OptimizerSlot>& slots() { return optimizer_->slots(); }
  /// Continues from a saved state of the optimizer. @throws std::invalid_argument as
  /// Optimizer::restore() does
  virtual void restore_optimizer(Step steps, std::vector<OptimizerSlot> slots) {
    optimizer_->restore(steps, std::move(slots));
  }

  /// Whether read() and use() need batches: a loader may prepare them.
  virtual bool reads_batches() const { return true; }

  /// Bytes of the gradient's memory that the last batch did not use.
  virtual std::uint64_t unused_gradient_bytes() const { return 0; }

  /// As of the last step; a copy shares the numbers.
  virtual const Block& parameters() const = 0;
  /// @throws std::invalid_argument if the size is not the layout's
  virtual void set_parameters(Block parameters) = 0;
  /// The gradient of the last batch as its update used it: after clipping; 0 for untrained
  /// parameters. Between compute_gradient() and update() as the model computed it. After update()
  /// deferred products are computed again, unless compute_gradient() was told to keep the gradient;
  /// once the next batch is read, they are 0.
  virtual std::span<const float> gradient() = 0;
  /// Replaces the gradient, for instance by the mean over many workers. Whether the update can be
  /// made then depends on this gradient, not on this worker's loss.
  /// @throws std::invalid_argument if the size is not the layout's
  virtual void set_gradient(std::span<const float> gradient) = 0;

  /// The statistics of the last batch, the problem's first; empty if they are not collected or
  /// there is no StatisticsSource.
  const std::vector<std::pair<std::string, double>>& statistics() const { return statistics_; }

  /// Reads batch `cursor` of the training section. Its rows and its noise depend on the cursor and
  /// the keys only, so that a resumed run sees and draws the same.
  virtual void read(Step cursor) = 0;

  /// Takes a batch that an equal reader has read, instead of reading it.
  /// @returns the previous batch, for its memory
  /// @throws std::runtime_error if it could not be read
  virtual ReadBatch use(ReadBatch batch) = 0;

  /// Trains on the batch that was read, with this cursor: compute_gradient() and update().
  StepResult train(Step cursor) {
    compute_gradient(cursor);
    return update(cursor);
  }

  /// The first half: loss and gradient of the batch that was read. Large products are deferred
  /// until the update, if neither clipping nor `nan` needs the whole gradient and all parameters
  /// are trained.
  /// @param kept gradient() will be called; does not change a bit
  virtual void compute_gradient(Step cursor, bool kept = false) = 0;
  /// The second half: clips the gradient and takes the optimizer's step.
  /// @throws std::runtime_error for a loss or gradient that is not finite, with NanPolicy::stop; a
  ///         learner that returns pending results throws it at a later call
  virtual StepResult update(Step cursor) = 0;

  /// Frees the memory of the last step: its batch, its gradient, and the model's own; parameters and
  /// the optimizer's slots are parked, if there is a park. The next step takes it again, which costs
  /// time. For a program with many learners, of which few compute at once.
  virtual void release_step() {}

  /// The results of steps for which update() returned a pending one, in their order, as far as they
  /// are known and were not returned before. Valid until the next call.
  virtual std::span<const StepResult> late_results() { return {}; }
  /// Waits until the results of all steps are known. @throws std::runtime_error as update() does
  virtual void settle() {}

protected:
  /// @throws std::invalid_argument if model and problem do not fit, with the compatibility check's
  ///         sentences; for an optimizer of another size, scales that match no parameter, or a null
  ///         pointer
  Learner(std::shared_ptr<const Problem> problem, std::unique_ptr<Model> model,
          std::unique_ptr<Optimizer> optimizer, BatchOrder order, LearnerOptions options);
  Learner(Learner&&) = default;
  Learner& operator=(Learner&&) = default;

  /// @param what "block" or "gradient"
  /// @throws std::invalid_argument unless it has as many elements as the layout
  void check_size(const std::string& what, Index elements) const;
  /// @throws std::runtime_error always: the batch and the cure
  [[noreturn]] void refuse_not_finite(Step cursor, double loss, Index examples,
                                      Index first_row) const;

  BatchReader reader_;                                     ///< Reads the training section.
  std::unique_ptr<Model> model_;                           ///< Never null.
  std::unique_ptr<Optimizer> optimizer_;                   ///< Never null; as long as the layout.
  LearnerOptions options_;                                 ///< As it was made with.
  std::vector<std::pair<std::string, double>> statistics_; ///< Of the last batch, see statistics().
};

} // namespace troupe
