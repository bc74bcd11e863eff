#include "messages/loop/loop_machine.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>
#include <vector>

using namespace troupe;
using Step_ = LoopPhase; // short, for the table

namespace {

constexpr LoopFacts nothing_special{};

std::vector<LoopPhase> all_steps() {
  std::vector<LoopPhase> steps;
  for (auto i = 0; i <= static_cast<int>(LoopPhase::failed); ++i)
    steps.push_back(static_cast<LoopPhase>(i));
  return steps;
}

/// A loop over data that ends after some epochs, with occasional requests to end.
std::vector<LoopPhase> random_run(std::mt19937& random) {
  const auto chance = [&random](int percent) {
    return std::uniform_int_distribution<>{1, 100}(random) <= percent;
  };
  const auto batches = std::uniform_int_distribution<>{1, 4}(random);
  const auto epochs = std::uniform_int_distribution<>{1, 4}(random);
  LoopFacts facts;
  facts.resumed = chance(30);
  auto batch = 0, epoch = 0;
  std::vector<LoopPhase> run{LoopPhase::idle};
  while (run.back() != LoopPhase::ended) {
    REQUIRE(run.size() < 1000);
    facts.interrupted = facts.interrupted || chance(3);
    facts.finish = facts.finish || chance(3);
    facts.finish_epoch = facts.finish_epoch || chance(3);
    facts.epoch_has_batch = batch < batches;
    facts.data_ended = epoch >= epochs;
    run.push_back(next(run.back(), facts));
    if (run.back() == LoopPhase::before_epoch) {
      facts.epoch_started = true;
      batch = 0;
    } else if (run.back() == LoopPhase::batch) {
      ++batch;
    } else if (run.back() == LoopPhase::after_epoch) {
      facts.epoch_started = false;
      ++epoch;
    }
  }
  return run;
}

} // namespace

TEST_CASE("each phase has its successor", "[loop_machine][B1]") {
  struct Row {
    LoopPhase step;
    LoopFacts facts;
    LoopPhase after;
  };
  const auto row = GENERATE(
    // a first run, and a resumed one
    Row{Step_::idle, {}, Step_::before_training},
    Row{Step_::before_training, {}, Step_::before_epoch},
    Row{Step_::before_training, {.resumed = true}, Step_::on_resumption},
    Row{Step_::on_resumption, {.resumed = true}, Step_::before_epoch},
    Row{Step_::on_resumption, {.resumed = true, .epoch_started = true}, Step_::before_batch},
    Row{Step_::on_resumption,
        {.resumed = true, .epoch_started = true, .epoch_has_batch = false},
        Step_::after_epoch},
    Row{Step_::before_training, {.data_ended = true}, Step_::after_training},
    Row{Step_::before_training, {.finish = true}, Step_::after_training},
    // within an epoch
    Row{Step_::before_epoch, {.epoch_started = true}, Step_::before_batch},
    Row{Step_::before_epoch, {.epoch_started = true, .finish = true}, Step_::after_training},
    Row{Step_::before_batch, {.epoch_started = true}, Step_::batch},
    Row{Step_::before_batch, {.epoch_started = true, .finish_epoch = true}, Step_::batch},
    Row{Step_::before_batch, {.epoch_started = true, .finish = true}, Step_::after_training},
    Row{Step_::batch, {.epoch_started = true}, Step_::after_batch},
    Row{Step_::batch, {.epoch_started = true, .finish = true}, Step_::after_batch},
    // an update that waits is made, even if an end is requested meanwhile
    Row{Step_::batch, {.epoch_started = true, .update_waits = true}, Step_::before_update},
    Row{Step_::before_update, {.epoch_started = true, .update_waits = true}, Step_::update},
    Row{Step_::before_update, {.update_waits = true, .finish = true}, Step_::update},
    Row{Step_::update, {.epoch_started = true, .update_waits = true}, Step_::after_batch},
    Row{Step_::after_batch, {.epoch_started = true}, Step_::before_batch},
    Row{Step_::after_batch, {.epoch_started = true, .finish_epoch = true}, Step_::before_batch},
    Row{Step_::after_batch, {.epoch_started = true, .epoch_has_batch = false}, Step_::after_epoch},
    // an end at batch level skips after_epoch, even on an epoch's last batch
    Row{Step_::after_batch,
        {.epoch_started = true, .epoch_has_batch = false, .finish = true},
        Step_::after_training},
    // a closed epoch gets its after_epoch, before the end as before the next epoch
    Row{Step_::after_batch, {.epoch_started = true, .close_epoch = true}, Step_::after_epoch},
    Row{Step_::after_batch,
        {.epoch_started = true, .close_epoch = true, .finish = true},
        Step_::after_epoch},
    Row{Step_::on_resumption,
        {.resumed = true, .epoch_started = true, .close_epoch = true, .finish = true},
        Step_::after_epoch},
    Row{Step_::on_resumption,
        {.resumed = true, .close_epoch = true, .finish = true},
        Step_::after_training},
    // between two epochs
    Row{Step_::after_epoch, {}, Step_::before_epoch},
    Row{Step_::after_epoch, {.data_ended = true}, Step_::after_training},
    Row{Step_::after_epoch, {.finish = true}, Step_::after_training},
    Row{Step_::after_epoch, {.finish_epoch = true}, Step_::after_training},
    // the end
    Row{Step_::after_batch, {.finish = true, .interrupted = true}, Step_::on_interrupt},
    Row{Step_::after_epoch, {.finish_epoch = true, .interrupted = true}, Step_::on_interrupt},
    Row{Step_::on_interrupt, {.finish = true, .interrupted = true}, Step_::after_training},
    Row{Step_::after_training, {}, Step_::ended}, Row{Step_::on_error, {}, Step_::failed},
    Row{Step_::ended, {}, Step_::ended}, Row{Step_::failed, {}, Step_::failed});
  INFO("after " << to_string(row.step));
  CHECK(to_string(next(row.step, row.facts)) == to_string(row.after));
}

TEST_CASE("every run begins with before_training and ends with after_training",
          "[loop_machine][B1][B17]") {
  std::mt19937 random{7};
  for (auto i = 0; i < 500; ++i) {
    const auto run = random_run(random);
    CHECK(run[1] == LoopPhase::before_training);
    CHECK(run[run.size() - 2] == LoopPhase::after_training);
    CHECK(std::count(run.begin(), run.end(), LoopPhase::after_training) == 1);
  }
}

TEST_CASE("in every run a batch lies between before_batch and after_batch", "[loop_machine][B1]") {
  std::mt19937 random{8};
  for (auto i = 0; i < 500; ++i) {
    const auto run = random_run(random);
    for (std::size_t k = 0; k < run.size(); ++k)
      if (run[k] == LoopPhase::batch) {
        CHECK(run[k - 1] == LoopPhase::before_batch);
        CHECK(run[k + 1] == LoopPhase::after_batch);
      }
  }
}

TEST_CASE("on_interrupt comes at most once, right before after_training", "[loop_machine][B12]") {
  std::mt19937 random{9};
  auto interrupted = 0;
  for (auto i = 0; i < 500; ++i) {
    const auto run = random_run(random);
    const auto found = std::find(run.begin(), run.end(), LoopPhase::on_interrupt);
    if (found == run.end())
      continue;
    ++interrupted;
    CHECK(*(found + 1) == LoopPhase::after_training);
    CHECK(std::count(run.begin(), run.end(), LoopPhase::on_interrupt) == 1);
  }
  CHECK(interrupted > 0);
}

TEST_CASE("epochs open and close alternately", "[loop_machine][B1]") {
  std::mt19937 random{10};
  for (auto i = 0; i < 500; ++i) {
    auto open = false;
    for (auto step : random_run(random)) {
      if (step == LoopPhase::before_epoch) {
        CHECK_FALSE(open);
        open = true;
      } else if (step == LoopPhase::after_epoch) {
        CHECK(open);
        open = false;
      }
    }
  }
}

TEST_CASE("a phase is a callback or has a name of its own", "[loop_machine]") {
  auto callbacks = 0;
  for (auto step : all_steps())
    if (auto callback = callback_of(step)) {
      ++callbacks;
      CHECK(to_string(step) == to_string(*callback));
    }
  CHECK(callbacks == static_cast<int>(callback_names.size()));
  CHECK(to_string(LoopPhase::idle) == "idle");
  CHECK(to_string(LoopPhase::batch) == "batch");
  CHECK(to_string(LoopPhase::update) == "update");
  CHECK(to_string(LoopPhase::ended) == "ended");
  CHECK(to_string(LoopPhase::failed) == "failed");
}

TEST_CASE("an end or a failure is final", "[loop_machine]") {
  for (auto step : {LoopPhase::ended, LoopPhase::failed})
    CHECK(next(step, nothing_special) == step);
}
