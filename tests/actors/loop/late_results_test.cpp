// Learners whose steps are done after update() has returned, as on a graphics card.
#include "tests/support/trainer_stage.hpp"

#include <deque>

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

namespace {

constexpr ToyOptions nine_batches{.examples = 45, .batch_size = 5};

/// A host learner that gives its results three steps later, or when they are waited for.
class LateLearner : public HostLearner {
public:
  using HostLearner::HostLearner;

  StepResult update(Step cursor) override {
    known_.clear();
    StepResult pending{0, 0, 0, false, StepState::pending};
    if (error_.empty())
      try {
        waiting_.push_back(HostLearner::update(cursor));
      } catch (const std::runtime_error& e) {
        error_ = e.what();
      }
    if (!error_.empty())
      waiting_.push_back({0, nine_batches.batch_size, 0, false, StepState::dropped});
    pending.examples = waiting_.back().examples;
    while (waiting_.size() > 3)
      pass_on();
    return pending;
  }

  std::span<const StepResult> late_results() override {
    returned_ = std::exchange(known_, {});
    return returned_;
  }

  void settle() override {
    while (!waiting_.empty())
      pass_on();
    if (!error_.empty())
      throw std::runtime_error(std::exchange(error_, ""));
  }

private:
  void pass_on() {
    known_.push_back(waiting_.front());
    waiting_.pop_front();
  }

  std::deque<StepResult> waiting_;
  std::vector<StepResult> known_, returned_;
  std::string error_;
};

/// A stage whose trainer has such a learner.
std::unique_ptr<TrainerStage> late_stage(const ToyOptions& toy) {
  auto stage = std::make_unique<TrainerStage>(in_no_time(toy));
  const auto learner = std::make_shared<LateLearner>(
    stage->problem, std::make_unique<ToyModel>(),
    make_optimizer(SgdOptions{.learning_rate = toy.learning_rate}, 1),
    BatchOrder{{.examples = toy.examples, .batch_size = toy.batch_size, .shuffle = false}});
  learner->initialize(RandomKey{0});
  TrainerOptions options;
  options.step_duration = 0;
  stage->trainer
    = stage->world.keep(spawn_trainer(stage->world.system, learner, stage->logger, options));
  return stage;
}

std::vector<double> losses(const std::vector<LoopEvent>& events) {
  std::vector<double> all;
  for (const auto& event : events)
    all.push_back(event.loss);
  return all;
}

} // namespace

TEST_CASE("extensions see the same of steps whose results come late", "[trainer][late]") {
  TrainerStage prompt{in_no_time(nine_batches)};
  const auto late = late_stage(nine_batches);
  const auto schedule = trigger("every_n_batches", batches(4)).set_trigger("after_epoch", true);
  const auto expected = prompt.keep_events("events", schedule);
  const auto seen = late->keep_events("events", schedule);
  prompt.finish_after(22);
  late->finish_after(22);
  const auto a = prompt.run(), b = late->run();
  REQUIRE(seen->size() == expected->size());
  CHECK(losses(*seen) == losses(*expected));
  for (std::size_t i = 0; i < seen->size(); ++i) {
    CHECK((*seen)[i].totals.loss.value() == (*expected)[i].totals.loss.value());
    CHECK((*seen)[i].totals.batches == (*expected)[i].totals.batches);
    CHECK((*seen)[i].position.batches == (*expected)[i].position.batches);
  }
  CHECK(b.position.batches == a.position.batches);
  CHECK(b.totals.loss.value() == a.totals.loss.value());
  CHECK(b.parameters.values == a.parameters.values);
}

TEST_CASE("a state that is saved counts the steps whose results come late", "[trainer][late]") {
  const auto late = late_stage(nine_batches);
  late->finish_after(7);
  late->run();
  const auto saved = late->world.ask<SavedTrainer>(late->trainer, Save{});
  REQUIRE(saved);
  CHECK(saved->position.batches == 7);
  CHECK(saved->totals.batches == 7);
}

TEST_CASE("a step that failed late takes the batches after it back", "[trainer][late]") {
  const ToyOptions steep{.examples = 45, .batch_size = 5, .learning_rate = 1e30f};
  TrainerStage prompt{in_no_time(steep)};
  const auto late = late_stage(steep);
  prompt.finish_after(20);
  late->finish_after(20);
  const auto a = prompt.run(), b = late->run();
  REQUIRE(a.outcome == Outcome::failed);
  CHECK(b.outcome == Outcome::failed);
  CHECK(b.error == a.error);
  CHECK(b.position.batches == a.position.batches);
  CHECK(b.position.examples == a.position.examples);
  CHECK(b.totals.loss.value() == a.totals.loss.value());
  CHECK(b.parameters.values == a.parameters.values);
}
