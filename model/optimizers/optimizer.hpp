#pragma once

#include "base/fields.hpp"
#include "model/formulas/element_update.hpp"
#include "model/optimizers/parameter_scales.hpp"
#include "model/tensor/block.hpp"
#include "model/tensor/block_step.hpp"

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// A running quantity of an optimizer, one number per parameter: "momentum", "mean", "variance",
/// ...
struct OptimizerSlot {
  std::string name; ///< unique in its optimizer
  Block values;     ///< as long as the block of parameters
};

/// Turns gradients into steps. Its whole state is its slots, its step count and its settings; slots
/// are saved, loaded and synchronised between workers as blocks.
class Optimizer {
public:
  virtual ~Optimizer() = default;

  /// As the configuration calls it: "adam".
  virtual std::string name() const = 0;

  /// Moves `parameters` one step down `gradient`; both have as many elements as the slots.
  void step(std::span<float> parameters, std::span<const float> gradient) {
    step_from(parameters, parameters, gradient);
  }
  /// The same from `from` to `to`, which are the same memory or do not overlap: parameters that
  /// others still read need no copy first.
  void step_from(std::span<const float> from, std::span<float> to, std::span<const float> gradient);

  /// Sets shares of the learning rate and the weight decay for parts of the block. They are not
  /// part of the state: set them again after restoring an optimizer.
  /// @param stretches of the whole block, as scaled_stretches() makes them; none: all shares are 1
  /// @throws std::invalid_argument if they leave a gap or do not end with the slots
  void scale(std::vector<ScaledStretch> stretches);

  /// The options that may change between two steps, by name: "learning_rate", "weight_decay",
  /// "beta1", ... Together with the slots and the step count they are the state.
  virtual std::map<std::string, double> settings() const = 0;
  /// Changes one setting.
  /// @throws std::invalid_argument for an unknown name, and for a value that the constructor would
  ///         refuse; nothing has changed then
  virtual void set(const std::string& setting, double value) = 0;

  /// Of the next step; also one of the settings.
  virtual double learning_rate() const = 0;
  /// Its formula and present settings, where a graphics card can take its steps. Its slots then
  /// are the numbers that the formula keeps.
  virtual std::optional<OptimizerRule> rule() const { return {}; }
  /// @throws std::invalid_argument for a rate that the constructor would refuse
  void set_learning_rate(double rate) { set("learning_rate", rate); }

  /// How many were taken.
  Step steps() const { return steps_; }
  /// In a fixed order; each as long as the parameters.
  const std::vector<OptimizerSlot>& slots() const { return slots_; }

  /// Continues from a saved state.
  /// @throws std::invalid_argument if the names or sizes do not match
  void restore(Step steps, std::vector<OptimizerSlot> slots);

protected:
  /// Consecutive elements with the same shares, in one step, and their places in each block.
  struct Stretch {
    std::span<const float> from;        ///< parameters before the step
    std::span<float> to;                ///< the same memory as `from`, or elsewhere
    std::span<const float> gradient;    ///< of these elements
    double learning_rate, weight_decay; ///< shares of the settings
    std::span<const BlockStep> blocks;  ///< of the slots
    Index begin;                        ///< of the stretch in them

    /// The numbers of a slot before the step.
    const float* before(std::size_t slot) const { return blocks[slot].before() + begin; }
    /// Where its numbers after the step are to be written.
    float* after(std::size_t slot) const { return blocks[slot].after() + begin; }
    /// Whether `to` is other memory than `from`.
    bool fresh() const { return from.data() != to.data(); }
  };

  /// Writes the elements of `to` and of each slot's next state. `steps_` includes this step
  /// already. By default it takes the step of rule().
  virtual void move(const Stretch& stretch);

  Step steps_ = 0;                   ///< taken
  std::vector<OptimizerSlot> slots_; ///< Made by the constructor of a derived class.

private:
  friend class StepInParts;

  std::vector<ScaledStretch> stretches_;
  std::vector<BlockStep> slot_steps_; ///< during a step; a member to reuse its memory
};

/// A step of an optimizer whose gradient arrives in parts, in any order, each element once. Gives
/// the same bits as step_from(). Only one at a time for each optimizer.
class StepInParts {
public:
  /// @param from, to as in Optimizer::step_from(), the whole block
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
