#pragma once

#include "base/fields.hpp"
#include "model/optimizers/parameter_scales.hpp"
#include "model/tensor/block.hpp"
#include "model/tensor/block_step.hpp"

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// A running quantity of an optimizer, one number per parameter: "momentum", "mean", "variance",
/// ...
struct OptimizerSlot {
  std::string name;
  Block values; ///< as long as the block of parameters
};

/// Turns gradients into steps. Its state is its slots, its count of steps and its settings, nothing
/// else; slots are saved, loaded and synchronised between workers as blocks.
class Optimizer {
public:
  virtual ~Optimizer() = default;

  virtual std::string name() const = 0;

  /// Moves `parameters` one step down `gradient`; both have as many elements as the slots.
  void step(std::span<float> parameters, std::span<const float> gradient) {
    step_from(parameters, parameters, gradient);
  }
  /// The same from `from` to `to`, which is the same memory or does not overlap with it: parameters
  /// that somebody else still reads need not be copied first.
  void step_from(std::span<const float> from, std::span<float> to, std::span<const float> gradient);

  /// From now on the parameters move by shares of learning rate and weight decay. No state: who
  /// restores an optimizer gives it its shares again.
  /// @param stretches of the whole block, as scaled_stretches() makes them; none: all move alike.
  /// @throws std::invalid_argument where they leave a gap or do not end with the slots.
  void scale(std::vector<ScaledStretch> stretches);

  /// The options that may be changed between any two steps, by name: "learning_rate",
  /// "weight_decay", "beta1", ... Together with the slots and the count of steps they make up the
  /// state.
  virtual std::map<std::string, double> settings() const = 0;
  /// Changes one of them.
  /// @throws std::invalid_argument for a name that is none of `settings`, and for a value that
  /// would
  ///         be refused at construction; nothing has changed then.
  virtual void set(const std::string& setting, double value) = 0;

  virtual double learning_rate() const = 0;
  void set_learning_rate(double rate) { set("learning_rate", rate); }

  Step steps() const { return steps_; }
  const std::vector<OptimizerSlot>& slots() const { return slots_; }

  /// Continues from a saved state.
  /// @throws std::invalid_argument where the names or sizes are not this optimizer's.
  void restore(Step steps, std::vector<OptimizerSlot> slots);

protected:
  /// Elements that move alike in one step: where they lie in each block.
  struct Stretch {
    std::span<const float> from;
    std::span<float> to; ///< where `from` is, or elsewhere
    std::span<const float> gradient;
    double learning_rate, weight_decay; ///< shares of the settings
    std::span<const BlockStep> blocks;  ///< of the slots
    Index begin;                        ///< of the stretch in them

    const float* before(std::size_t slot) const { return blocks[slot].before() + begin; }
    float* after(std::size_t slot) const { return blocks[slot].after() + begin; }
    bool fresh() const { return from.data() != to.data(); }
  };

  /// Writes the stretch of `to` and, all of it, of each slot's next state. `steps_` counts the step
  /// already.
  virtual void move(const Stretch& stretch) = 0;

  Step steps_ = 0; ///< taken
  std::vector<OptimizerSlot> slots_;

private:
  friend class StepInParts;

  std::vector<ScaledStretch> stretches_;
  std::vector<BlockStep> slot_steps_; ///< during a step; kept for its memory
};

/// A step of an optimizer whose gradient comes part by part: in any order, each element once. Takes
/// the same step as step_from(), to the bit. One at a time for each optimizer.
class StepInParts {
public:
  /// @param from, to as in Optimizer::step_from(), of the whole block
  StepInParts(Optimizer& optimizer, std::span<const float> from, std::span<float> to);
  ~StepInParts() { optimizer_.slot_steps_.clear(); }
  StepInParts(const StepInParts&) = delete;
  StepInParts& operator=(const StepInParts&) = delete;

  /// Moves the elements from `begin` on, as many as `gradient` has.
  void move(Index begin, std::span<const float> gradient);

private:
  Optimizer& optimizer_;
  std::span<const float> from_;
  std::span<float> to_;
};

} // namespace troupe
