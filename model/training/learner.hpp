#pragma once

#include "base/text/enum_names.hpp"
#include "model/data/batch_reader.hpp"
#include "model/data/statistics_source.hpp"
#include "model/optimizers/optimizer.hpp"
#include "model/optimizers/untrained_elements.hpp"
#include "model/training/batch_gradient.hpp"
#include "model/training/model.hpp"
#include "model/training/step_result.hpp"

#include <memory>
#include <string>

namespace troupe {

/// What to do with a batch whose loss or gradient is not finite.
enum class NanPolicy : std::uint8_t {
  stop,   ///< training fails, naming the batch; only the edges of the gradient are checked
  skip,   ///< the batch changes nothing and is counted
  ignore, ///< the gradient is used as it is
  remove, ///< elements of the gradient that are not finite count as 0
};
constexpr auto enum_names(NanPolicy) { return name_list("stop", "skip", "ignore", "remove"); }

struct ClippingOptions {
  double element = 0;        ///< each element into [-element, element]; 0: off
  double norm = 0;           ///< the whole gradient to at most this L2 norm; 0: off
  double parameter_norm = 0; ///< before that, each parameter's gradient to this L2 norm; 0: off
  FIELDS(element, norm, parameter_norm);
};

struct LearnerOptions {
  ClippingOptions clipping = {};
  NanPolicy nan = NanPolicy::stop;
  RandomKey noise = {};    ///< of this run and worker, for random numbers in training (dropout)
  bool statistics = false; ///< whether to collect the statistics of problem and model for each
                           ///< batch
  std::vector<ParameterScale> scales = {}; ///< shares of the optimizer's settings
};

/// A model, its data and its optimizer: takes training steps. All of training except the loop
/// around it, without actors; use it from one thread at a time.
///
///   rows -> gather -> loss and gradient -> clip -> optimizer step
///
/// All parameters are in one block of floats.
///
/// Clipping and the optimizer apply to trained parameters; a frozen parameter stays, a statistic
/// changes by what the model says (ParameterRole).
class Learner {
public:
  /// @throws std::invalid_argument if model and problem do not fit, with the compatibility check's
  ///         sentences; for an optimizer of another size, scales that match no parameter, or a null
  ///         pointer
  Learner(std::shared_ptr<const Problem> problem, std::unique_ptr<Model> model,
          std::unique_ptr<Optimizer> optimizer, BatchOrder order, LearnerOptions options = {});

  /// Draws the initial parameters.
  void initialize(RandomKey key);

  const Layout& layout() const { return model_->layout(); }
  const BatchOrder& order() const { return reader_.order(); }
  const BatchReader& reader() const { return reader_; }
  const Model& model() const { return *model_; }
  const Problem& problem() const { return reader_.problem(); }
  Optimizer& optimizer() { return *optimizer_; }
  /// Bytes of the gradient's memory that the last batch did not use.
  std::uint64_t unused_gradient_bytes() const { return gradient_.unused_bytes(); }

  const Block& parameters() const { return parameters_; }
  /// The gradient of the last batch as its update used it: after clipping; 0 for untrained
  /// parameters. Between compute_gradient() and update() as the model computed it. After update()
  /// deferred products are computed again, unless compute_gradient() was told to keep the gradient;
  /// once the next batch is read, they are 0.
  std::span<const float> gradient() { return gradient_.whole(); }
  /// The statistics of the last batch, the problem's first; empty if they are not collected or
  /// there is no StatisticsSource.
  const std::vector<std::pair<std::string, double>>& statistics() const { return statistics_; }
  /// @throws std::invalid_argument if the size is not the layout's
  void set_parameters(Block parameters);

  /// Reads batch `cursor` of the training section. Its rows and its noise depend on the cursor and
  /// the keys only, so that a resumed run sees and draws the same.
  void read(Step cursor);

  /// Takes a batch that an equal reader has read, instead of reading it.
  /// @returns the previous batch, for its memory
  /// @throws std::runtime_error if it could not be read
  ReadBatch use(ReadBatch batch);

  /// Trains on the batch that was read, with this cursor: compute_gradient() and update().
  StepResult train(Step cursor);

  /// The first half: loss and gradient of the batch that was read. Large products are deferred
  /// until the update, if neither clipping nor `nan` needs the whole gradient and all parameters
  /// are trained.
  /// @param kept gradient() will be called; does not change a bit
  void compute_gradient(Step cursor, bool kept = false);
  /// Replaces the gradient, for instance by the mean over many workers. Whether the update can be
  /// made then depends on this gradient, not on this worker's loss.
  /// @throws std::invalid_argument if the size is not the layout's
  void set_gradient(std::span<const float> gradient);
  /// The second half: clips the gradient and takes the optimizer's step.
  /// @throws std::runtime_error for a loss or gradient that is not finite, with NanPolicy::stop
  StepResult update(Step cursor);

private:
  void collect_statistics();
  bool updates_need_whole_gradient() const;
  /// @returns false if the gradient is not finite and the policy requires a check
  bool clip();
  bool looks_finite(); ///< checks as much of the gradient as `nan` requires

  BatchReader reader_;
  std::unique_ptr<Model> model_;
  std::unique_ptr<Optimizer> optimizer_;
  LearnerOptions options_;
  Block parameters_;
  BatchGradient gradient_;
  double loss_ = 0, weight_ = 0; ///< of the batch that was read
  bool given_gradient_ = false;  ///< by set_gradient()
  UntrainedElements untrained_;
  ReadBatch read_;
  std::vector<const StatisticsSource*> sources_; ///< problem and model, if they are sources
  std::vector<std::pair<std::string, double>> statistics_;
};

} // namespace troupe
