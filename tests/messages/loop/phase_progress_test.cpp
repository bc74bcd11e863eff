#include "messages/loop/phase_progress.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

namespace {

/// A run of two epochs with two batches each, in this phase.
RunState run_in(LoopPhase phase) {
  RunState run;
  run.begin({2, 2});
  while (run.step != phase)
    run.advance();
  return run;
}

} // namespace

TEST_CASE("a batch is trained in its phase and extensions are called in the others",
          "[phase_progress]") {
  const PhaseProgress progress;
  const Steering steering;
  CHECK(progress.next(run_in(LoopPhase::before_training), steering) == NextAction::call);
  CHECK(progress.next(run_in(LoopPhase::batch), steering) == NextAction::train);
  CHECK(progress.next(run_in(LoopPhase::after_batch), steering) == NextAction::call);
  auto run = run_in(LoopPhase::before_batch);
  run.update_waits = true;
  while (run.step != LoopPhase::update)
    run.advance();
  CHECK(progress.next(run, steering) == NextAction::update);
}

TEST_CASE("a paused run is held before a batch, but not while extensions are called",
          "[phase_progress]") {
  const auto run = run_in(LoopPhase::before_batch);
  Steering steering;
  PhaseProgress progress;
  progress.begin_calls();
  steering.pause();
  CHECK(progress.calling());
  CHECK(progress.next(run, steering) == NextAction::call);
  CHECK_FALSE(progress.held(run, steering));
  progress.end();
  CHECK(progress.next(run, steering) == NextAction::hold);
  CHECK(progress.held(run, steering));
  steering.resume();
  CHECK(progress.next(run, steering) == NextAction::call);
  CHECK_FALSE(progress.held(run, steering));
}

TEST_CASE("a run that was stopped while it was paused calls no more before_batch",
          "[phase_progress]") {
  auto run = run_in(LoopPhase::before_batch);
  const PhaseProgress progress;
  const Steering steering;
  run.finish("enough");
  CHECK(progress.next(run, steering) == NextAction::advance);
}

TEST_CASE("a worker waits behind a callback until all workers end together", "[phase_progress]") {
  auto run = run_in(LoopPhase::after_batch);
  Steering steering;
  PhaseProgress progress;
  CHECK(progress.leaves(run, steering));
  CHECK_FALSE(progress.waits_behind());
  steering.await_common_end();
  CHECK_FALSE(progress.leaves(run, steering));
  CHECK(progress.waits_behind());
  CHECK(progress.next(run, steering) == NextAction::hold);
  run.stop({StopLevel::after_batch, "all end"});
  steering.forget_common_end();
  CHECK(progress.next(run, steering) == NextAction::advance);
}

TEST_CASE("a run that ends does not wait for the common end", "[phase_progress]") {
  auto run = run_in(LoopPhase::after_batch);
  Steering steering;
  PhaseProgress progress;
  steering.await_common_end();
  run.finish("enough");
  CHECK(progress.leaves(run, steering));
}

TEST_CASE("an error ends the calls of a phase but not a batch in flight", "[phase_progress]") {
  PhaseProgress progress;
  progress.begin_calls();
  progress.fail();
  CHECK_FALSE(progress.calling());
  progress.begin_batch();
  progress.fail();
  CHECK(progress.in_batch());
  CHECK_FALSE(progress.held(run_in(LoopPhase::batch), {}));
  progress.end();
  CHECK_FALSE(progress.in_batch());
}
