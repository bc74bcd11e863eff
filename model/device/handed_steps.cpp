#include "model/device/handed_steps.hpp"

namespace troupe {

namespace {

StepResult dropped_step(Index examples) { return {0, examples, 0, false, StepState::dropped}; }

} // namespace

void HandedSteps::drop(Index examples) { known_.push_back(dropped_step(examples)); }

std::optional<HandedSteps::Stopped> HandedSteps::done(const StepOutput& output) {
  const auto step = waiting_.front();
  waiting_.pop_front();
  const auto loss = output.weight > 0 ? output.loss_sum / output.weight : 0;
  const auto stopped = output.bad && nan_ == DeviceNan::stop;
  if (stopped || output.dropped) {
    drop(step.examples);
  } else {
    const auto skipped = output.bad && nan_ == DeviceNan::skip;
    known_.push_back({loss, step.examples, output.weight, skipped});
    taken_ += skipped ? 0 : 1;
  }
  return stopped ? std::optional{Stopped{step, loss}} : std::nullopt;
}

std::span<const StepResult> HandedSteps::take_results() {
  returned_.clear();
  std::swap(returned_, known_);
  return returned_;
}

} // namespace troupe
