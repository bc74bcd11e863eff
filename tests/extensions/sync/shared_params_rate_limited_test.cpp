#include "extensions/sync/shared_params_rate_limited.hpp"
#include "tests/support/extension_doubles.hpp"
#include "tests/support/extension_stage.hpp"

using namespace troupe;
using namespace troupe::test;

namespace {

/// A worker whose steps take 0.1 s and whose syncs take `*cost` seconds.
struct LimitedStage : Stage {
  explicit LimitedStage(RateLimitOptions limit,
                        const Conditions& conditions = shared_params_rate_limited_conditions(),
                        TokenBucketOptions tokens = {})
    : Stage({.step_duration = 0.1}) {
    SharedParamsRateLimitedOptions options;
    options.limit = limit;
    options.tokens = tokens;
    options.sync.timing_log = true;
    sync = world.keep(
      spawn_shared_params_rate_limited(world.system, options, holder, ToyModel{}.layout(), logger));
    gate("sync", conditions, sync, Shows::parameters);
  }

  std::uint64_t pushes() {
    const auto status = world.ask<HolderStatus>(holder, GetHolderStatus{});
    REQUIRE(status);
    return status->pushes;
  }

  /// Syncs in the next `seconds`.
  std::uint64_t pushes_in(std::chrono::seconds seconds) {
    const auto before = pushes();
    world.pass(seconds, 100ms);
    return pushes() - before;
  }

  /// The rows of logged syncs.
  std::vector<Step> synced(Step last) {
    std::vector<Step> rows;
    for (Step batch = 0; batch <= last; ++batch)
      if (row(batch).count("param_sync_duration") > 0)
        rows.push_back(batch);
    return rows;
  }

  /// The state for another process.
  SavedFields saved() {
    const auto saved = world.ask<SavedExtension>(sync, SaveExtension{});
    REQUIRE(saved);
    return saved->state;
  }

  void resume_from(const SavedFields& state) {
    REQUIRE(world.ask<Restored>(sync, RestoreExtension{state}));
  }

  Extension sync;
  std::shared_ptr<double> cost = std::make_shared<double>(1.0);
  ParameterHolder holder = slow_holder(world, cost);
};

} // namespace

TEST_CASE("the rate-limited extension checks every batch", "[rate_limited][L14]") {
  CHECK(triggers_of(shared_params_rate_limited_conditions())
        == std::vector<std::string>{"before_training", "every_n_batches", "on_interrupt",
                                    "after_training", "on_error"});
}

TEST_CASE("the first trigger syncs, the next one when the limit allows its cost",
          "[rate_limited][L14]") {
  LimitedStage stage{{.maximum_rate = 0.25}};
  stage.finish_after(100);
  stage.run();
  // A sync of 1 s needs 3 s of work: 30 steps.
  CHECK(stage.synced(100) == std::vector<Step>{1, 31, 61, 91});
}

TEST_CASE("rare triggers sync each time", "[rate_limited][L14]") {
  LimitedStage stage{{.maximum_rate = 0.25},
                     shared_params_rate_limited_conditions().set_trigger("every_n_batches",
                                                                         Value{std::int64_t{50}})};
  stage.finish_after(150);
  stage.run();
  CHECK(stage.synced(150) == std::vector<Step>{50, 100, 150});
}

TEST_CASE("Legion's warm-up makes the first gaps short", "[rate_limited][L15]") {
  LimitedStage stage{{.maximum_rate = 0.1, .of = RateOf::work, .legion_warmup = true}};
  stage.finish_after(140);
  stage.run();
  // Gaps above 0.2 / 0.1, 0.36 / 0.1 and 0.488 / 0.1 seconds, in steps of 0.1 s; a gap equal to the
  // limit is too short.
  const auto synced = stage.synced(140);
  REQUIRE(synced.size() >= 4);
  CHECK(synced[0] == 1);
  CHECK(synced[1] - synced[0] == Approx(21).margin(1));
  CHECK(synced[2] - synced[1] == Approx(37).margin(1));
  CHECK(synced[3] - synced[2] == Approx(49).margin(1));
}

TEST_CASE("after ten syncs the measured share is within the limit", "[rate_limited][L15][L16]") {
  LimitedStage stage{{.maximum_rate = 0.25}};
  stage.finish_after(30 * 20 + 1);
  const auto finished = stage.run();
  const auto row = stage.row(finished.position.batches);
  const auto within_limit = stage.pushes() - 1; // the last one, at the end, always happens
  CHECK(number_in(row, "param_syncs") == static_cast<double>(within_limit));
  CHECK(number_in(row, "param_syncs") == Approx(21).margin(1));
  CHECK(number_in(row, "param_sync_share") <= 0.25 + 1e-6);
  CHECK(number_in(row, "param_sync_share") > 0.24);
}

TEST_CASE("a sync with twice the cost happens half as often", "[rate_limited][L16]") {
  LimitedStage stage{{.maximum_rate = 0.25}};
  stage.start();
  stage.world.pass(20s, 100ms);
  const auto before = stage.pushes_in(200s);
  *stage.cost = 2;
  stage.world.pass(200s, 100ms); // the average follows
  const auto after = stage.pushes_in(200s);
  CHECK(before == Approx(50).margin(1));
  CHECK(after == Approx(25).margin(1));
}

TEST_CASE("a limit of work is a smaller share of all time", "[rate_limited][L17]") {
  const auto share_of = [](RateOf of) {
    LimitedStage stage{{.maximum_rate = 0.5, .of = of}};
    stage.finish_after(400);
    const auto finished = stage.run();
    return number_in(stage.row(finished.position.batches), "param_sync_share");
  };
  CHECK(share_of(RateOf::total) == Approx(0.5).epsilon(0.02));
  CHECK(share_of(RateOf::work) == Approx(0.5 / 1.5).epsilon(0.05));
}

TEST_CASE("a rate of 0 never syncs", "[rate_limited][L17]") {
  LimitedStage stage{{.maximum_rate = 0}};
  stage.finish_after(100);
  stage.run();
  CHECK(stage.pushes() == 0);
}

TEST_CASE("an invalid rate is refused", "[rate_limited][L17]") {
  CHECK_THROWS_WITH(LimitedStage({.maximum_rate = -0.1}), Catch::Contains("maximum_rate"));
}

TEST_CASE("at the end it prints the number of syncs and the effect of the limit",
          "[rate_limited][L16][L17]") {
  LimitedStage stage{{.maximum_rate = 0.25, .of = RateOf::work}};
  stage.finish_after(10);
  stage.run();
  REQUIRE(stage.heard->texts().size() == 1);
  CHECK_THAT(stage.heard->texts()[0],
             Catch::StartsWith("worker 0 synced 1 time, too few to measure")
               && Catch::Contains("limit 25.0 % of work"));
}

TEST_CASE("an unmeasured share is not recorded, and two syncs are enough to measure it",
          "[rate_limited][L16]") {
  const auto many = GENERATE(false, true);
  LimitedStage stage{{.maximum_rate = 0.25}};
  stage.finish_after(many ? 31 : 30);
  const auto row = stage.row(stage.run().position.batches);
  CHECK(number_in(row, "param_syncs") == (many ? 2 : 1));
  CHECK(row.count("param_sync_share") == (many ? 1 : 0));
  if (many)
    CHECK(number_in(row, "param_sync_share") == Approx(0.25).margin(0.01));
}

TEST_CASE("a resumed run keeps the cost of a sync and the counts", "[rate_limited][L15]") {
  LimitedStage first{{.maximum_rate = 0.25}};
  first.finish_after(40);
  first.run();
  LimitedStage second{{.maximum_rate = 0.25}};
  second.resume_from(first.saved());
  second.finish_after(40);
  const auto finished = second.run();
  // A new run would sync at once; the cost of 1 s needs 3 s of work first: 30 steps.
  CHECK(second.synced(40) == std::vector<Step>{30});
  CHECK(number_in(second.row(finished.position.batches), "param_syncs") == 3);
}

TEST_CASE("a resumed run keeps its remaining tokens", "[rate_limited]") {
  const auto limited = [] {
    return std::make_unique<LimitedStage>(RateLimitOptions{.maximum_rate = 0.99},
                                          shared_params_rate_limited_conditions(),
                                          TokenBucketOptions{.per_second = 0.1, .burst = 2});
  };
  const auto first = limited();
  *first->cost = 0.001;
  first->finish_after(20); // takes both in 2 s
  first->run();
  CHECK(first->synced(20).size() == 2);
  const auto second = limited();
  *second->cost = 0.001;
  second->resume_from(first->saved());
  second->finish_after(60);
  second->run();
  CHECK(second->synced(60).empty()); // the next token is available after 10 s in total
}

TEST_CASE("it works without a logger", "[rate_limited]") {
  Stage stage;
  const auto sync = stage.world.keep(spawn_shared_params_rate_limited(
    stage.world.system, {}, slow_holder(stage.world, std::make_shared<double>(0.1)),
    ToyModel{}.layout(), {}));
  stage.gate("sync", shared_params_rate_limited_conditions(), sync, Shows::parameters);
  stage.finish_after(3);
  CHECK(stage.run().outcome == Outcome::finished);
}
