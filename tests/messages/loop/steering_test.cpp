#include "messages/loop/steering.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

namespace {

constexpr auto at_batch = LoopPhase::before_batch;
constexpr auto elsewhere = LoopPhase::after_epoch;

} // namespace

TEST_CASE("training continues if nothing holds it", "[steering]") {
  const Steering steering;
  CHECK(steering.hold(at_batch, false) == Hold::none);
  CHECK(steering.hold(elsewhere, true) == Hold::none);
  CHECK_FALSE(steering.is_paused());
  CHECK_FALSE(steering.is_quiescing());
}

TEST_CASE("a pause holds training before the next batch and nowhere else", "[steering]") {
  Steering steering;
  steering.pause();
  CHECK(steering.hold(elsewhere, false) == Hold::none);
  CHECK(steering.hold(at_batch, false) == Hold::paused);
  CHECK(steering.pauses(at_batch));
  steering.resume();
  CHECK(steering.hold(at_batch, false) == Hold::none);
}

TEST_CASE("a paused run advances by the allowed batches", "[steering]") {
  Steering steering;
  steering.advance(1);
  steering.advance(1); // adds up
  CHECK(steering.is_paused());
  for (auto batch = 0; batch < 2; ++batch) {
    CHECK(steering.hold(at_batch, false) == Hold::none);
    steering.count_batch();
  }
  CHECK(steering.hold(at_batch, false) == Hold::paused);
  steering.count_batch(); // e.g. a batch before a quiescence
  CHECK(steering.hold(at_batch, false) == Hold::paused);
}

TEST_CASE("a pause cancels allowed batches, and so does resuming", "[steering]") {
  Steering steering;
  steering.advance(5);
  steering.pause();
  CHECK(steering.hold(at_batch, false) == Hold::paused);
  steering.advance(5);
  steering.resume();
  steering.advance(1);
  steering.count_batch();
  CHECK(steering.hold(at_batch, false) == Hold::paused);
}

TEST_CASE("a quiescence holds training after its batches, regardless of pauses", "[steering]") {
  Steering steering;
  steering.pause();
  steering.quiesce(1);
  CHECK(steering.is_quiescing());
  CHECK(steering.hold(at_batch, false) == Hold::none); // the pause takes effect later
  steering.count_batch();
  CHECK(steering.hold(elsewhere, false) == Hold::none);
  CHECK(steering.hold(at_batch, false) == Hold::quiesced);
  steering.leave_quiescence();
  CHECK(steering.hold(at_batch, false) == Hold::paused);
}

TEST_CASE("batches of a quiescence don't change the allowance of a pause", "[steering]") {
  Steering steering;
  steering.advance(1);
  steering.quiesce(1);
  steering.count_batch();
  steering.leave_quiescence();
  CHECK(steering.hold(at_batch, false) == Hold::none);
}

TEST_CASE("a new quiescence replaces the last one", "[steering]") {
  Steering steering;
  steering.quiesce(0);
  steering.quiesce(2);
  CHECK(steering.hold(at_batch, false) == Hold::none);
}

TEST_CASE("the common end is awaited after a callback", "[steering]") {
  Steering steering;
  CHECK_FALSE(steering.holds_behind(elsewhere));
  CHECK(steering.await_common_end());
  CHECK_FALSE(steering.await_common_end()); // the others know already
  CHECK(steering.holds_behind(elsewhere));
  CHECK(steering.hold(elsewhere, false) == Hold::none); // its callback is served first
  CHECK(steering.hold(elsewhere, true) == Hold::common_end);
  steering.forget_common_end();
  CHECK(steering.hold(elsewhere, true) == Hold::none);
}

TEST_CASE("the common end is awaited only where the loop could end", "[steering]") {
  Steering steering;
  steering.await_common_end();
  CHECK(steering.holds_behind(LoopPhase::before_training));
  CHECK(steering.holds_behind(LoopPhase::after_batch));
  for (auto step : {LoopPhase::batch, LoopPhase::before_update, LoopPhase::update,
                    LoopPhase::on_interrupt, LoopPhase::after_training, LoopPhase::on_error})
    CHECK_FALSE(steering.holds_behind(step));
}

TEST_CASE("a quiescence also holds a run that awaits the common end", "[steering]") {
  Steering steering;
  steering.await_common_end();
  steering.quiesce(0);
  CHECK(steering.hold(elsewhere, true) == Hold::quiesced);
  steering.quiesce(1);
  CHECK(steering.hold(elsewhere, true) == Hold::none); // a batch is left to train
}
