#pragma once

#include "model/device/device_lag.hpp"
#include "model/device/device_run.hpp"
#include "model/device/handed_steps.hpp"
#include "model/tensor/buffer.hpp"
#include "model/training/learner.hpp"

#include <functional>
#include <optional>

namespace troupe {

struct DeviceLearnerOptions {
  int number = 0; ///< of the card
  Precision precision = Precision::float32;
  std::uint64_t resident_bytes = 0; ///< a training section of at most this size stays on the card
};

/// Begins a run on a card; another one than begin_device_run() for tests.
using BeginDeviceRun = std::function<std::unique_ptr<DeviceRun>(const DevicePlan&)>;

/// What a learner needs of a card. @throws std::invalid_argument for what a card cannot compute,
/// with a sentence that names it and the cure
DevicePlan device_plan(const Problem& problem, const Model& model, const Optimizer& optimizer,
                       const BatchOrder& order, const LearnerOptions& options,
                       const DeviceLearnerOptions& device);

/// Bytes of memory on the card that the plan needs.
std::uint64_t device_bytes(const DevicePlan& plan, const StepProgram& largest);

/// A learner that computes on a graphics card. Steps are collected, handed to the card several at
/// once, and computed while the caller continues; update() returns a pending result. All functions
/// that show parameters, gradient or slots wait for the steps before them.
///
/// The training section stays on the card where it fits; otherwise the batches that are read or
/// used go there one by one.
class DeviceLearner : public Learner {
public:
  /// @throws std::invalid_argument as Learner() and device_plan() do; DeviceError
  DeviceLearner(std::shared_ptr<const Problem> problem, std::unique_ptr<Model> model,
                std::unique_ptr<Optimizer> optimizer, BatchOrder order, LearnerOptions options,
                const DeviceLearnerOptions& device, const BeginDeviceRun& begin);

  Step optimizer_steps() override;
  const std::vector<OptimizerSlot>& slots() override;
  void restore_optimizer(Step steps, std::vector<OptimizerSlot> slots) override;
  bool reads_batches() const override { return plan_.resident == 0; }

  const Block& parameters() const override;
  void set_parameters(Block parameters) override;
  std::span<const float> gradient() override;
  void set_gradient(std::span<const float> gradient) override;
  void read(Step cursor) override;
  ReadBatch use(ReadBatch batch) override;
  void compute_gradient(Step cursor, bool kept = false) override;
  StepResult update(Step cursor) override;
  std::span<const StepResult> late_results() override;
  void settle() override;

  /// The run on the card, for its counters.
  const DeviceRun& run() const { return *run_; }

private:
  /// How far the batch that was read is computed.
  enum class Phase : std::uint8_t { read, computed, launched, updated };

  void load_examples();
  void check_targets(const Batch& batch);
  Index examples_of(Step cursor) const;
  void prepare(Index examples); ///< makes the batch size known to the card
  void place(Step cursor);
  void put_read_batch();
  void launch_gradient();
  void flush(); ///< launches the collected steps
  void finish() const;
  void take_outputs();
  std::string failure_of(const HandedSteps::Stopped& stopped) const;
  void pace(); ///< waits if the card is too far behind

  DevicePlan plan_;
  std::unique_ptr<DeviceRun> run_;
  std::vector<Index> prepared_;       ///< batch sizes
  std::optional<OptimizerRule> rule_; ///< the card's
  Phase phase_ = Phase::read;
  Step cursor_ = 0;              ///< of the batch that was read
  std::optional<Step> expected_; ///< the cursor at which the card will be
  int collected_ = 0;            ///< steps not launched yet,
  Index collected_examples_ = 0; ///< each of so many examples
  HandedSteps handed_;
  DeviceLag lag_;
  std::vector<StepOutput> outputs_; ///< taken last
  std::string failure_;             ///< of the first step that ended training; "": none
  ReadBatch read_;
  mutable Block parameters_; ///< as of the card, unless `stale_`
  mutable bool stale_ = true;
  Buffer<float> gradient_;
  std::vector<OptimizerSlot> slots_;
  Buffer<float> scratch_;
};

} // namespace troupe
