#include "actors/loop/time_status.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

namespace {

/// A run that has trained batches of 1 s reading and 3 s training, 2 s of these for the gradient.
struct TimedRun {
  void start(double now) { times.start(run, now, {}); }
  void train(Step batches) {
    run.position.batches += batches;
    run.totals.reading_seconds += 1.0 * static_cast<double>(batches);
    run.position.training_seconds += 3.0 * static_cast<double>(batches);
    for (Step i = 0; i < batches; ++i)
      times.gradient.count(2, 1);
  }
  SpentTime spent(double now) { return *spent_time_in(times.records(run, subscriptions, now)); }

  RunState run;
  Subscriptions subscriptions;
  TimeStatus times;
};

} // namespace

TEST_CASE("a status divides the seconds of training", "[time_status]") {
  TimedRun run;
  run.start(100);
  run.train(5);
  const auto spent = run.spent(122);
  CHECK(spent.seconds == 22);
  CHECK(spent.batches == 5);
  CHECK(spent.reading == 5);
  CHECK(spent.gradient == 10);
  CHECK(spent.update == 5);
  CHECK(spent.between() == 2);
}

TEST_CASE("times of a resumed run count from its start", "[time_status]") {
  TimedRun run;
  run.train(7);
  run.start(100);
  run.train(1);
  const auto spent = run.spent(104);
  CHECK(spent.batches == 1);
  CHECK(spent.reading == 1);
  CHECK(spent.gradient == 2);
  CHECK(spent.update == 1);
}

TEST_CASE("pauses are counted, the running one included", "[time_status]") {
  TimedRun run;
  run.start(0);
  run.times.hold(10);
  run.times.go_on(13);
  run.times.go_on(14);
  CHECK(run.spent(20).held == 3);
  run.times.hold(20);
  CHECK(run.spent(25).held == 8);
}

TEST_CASE("many short epochs do not each write their times, a long one does", "[time_status]") {
  TimedRun run;
  run.start(100);
  CHECK_FALSE(run.times.is_due_after_epoch(100.5));
  CHECK(run.times.is_due_after_epoch(101));
  CHECK_FALSE(run.times.is_due(109));
  CHECK(run.times.is_due(110));
  run.spent(110);
  CHECK_FALSE(run.times.is_due_after_epoch(110.5));
}
