#pragma once

#include "model/device/device_run.hpp"
#include "model/training/step_result.hpp"

#include <deque>
#include <optional>
#include <span>
#include <vector>

namespace troupe {

/// The steps that were handed to a card, and the results of those that it has done.
class HandedSteps {
public:
  struct Handed {
    Step cursor = 0;
    Index examples = 0;
  };
  /// A step that ends training: its loss or gradient is not finite.
  struct Stopped {
    Handed step;
    double loss = 0;
  };

  /// @param nan what the card does about numbers that are not finite
  explicit HandedSteps(DeviceNan nan) : nan_(nan) {}

  void add(const Handed& step) { waiting_.push_back(step); }
  /// A step was not handed over, because an earlier one ended training.
  void drop(Index examples);
  std::size_t without_result() const { return waiting_.size(); }

  /// The output of the earliest step without a result. @returns whether that step ends training
  std::optional<Stopped> done(const StepOutput& output);
  /// All that were not taken yet, in order. They are valid until the next call.
  std::span<const StepResult> take_results();

  /// Steps that the optimizer has taken, of those with a result.
  Step taken() const { return taken_; }
  void restore(Step taken) { taken_ = taken; }

private:
  DeviceNan nan_;
  std::deque<Handed> waiting_;
  std::vector<StepResult> known_, returned_;
  Step taken_ = 0;
};

} // namespace troupe
