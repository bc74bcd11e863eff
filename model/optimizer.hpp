#pragma once

#include "troupe/model/block.hpp"
#include "troupe/model/fields.hpp"

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
  virtual void step_from(std::span<const float> from, std::span<float> to,
                         std::span<const float> gradient)
    = 0;

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
  Step steps_ = 0; ///< taken
  std::vector<OptimizerSlot> slots_;
};

} // namespace troupe
