#include "extensions/monitoring/stream_monitoring.hpp"
#include "extensions/stopping/finish_if_no_improvement.hpp"
#include "extensions/stopping/track_the_best.hpp"
#include "tests/support/composite_stage.hpp"
#include "tests/support/extension_doubles.hpp"

using namespace troupe;
using namespace troupe::test;

TEST_CASE("a child's error is the composite's, with the child's name", "[composite][B30]") {
  Stage stage;
  auto trace = new_trace();
  const auto refuse
    = [](const LoopEvent&) { return caf::result<GateAnswer>{fail(Error::io, "the disk is full")}; };
  compose(stage,
          {{"bad", trigger("after_epoch"), recording_child(stage.world, trace, "bad", refuse)},
           {"later", trigger("after_epoch"), recording_child(stage.world, trace, "later")}});
  const auto finished = stage.run();
  CHECK(finished.outcome == Outcome::failed);
  CHECK_THAT(finished.error, Catch::Contains("extension 'composite' failed")
                               && Catch::Contains("its child 'bad' failed: the disk is full"));
  CHECK(*trace == std::vector<std::string>{"bad after_epoch 3"});
}

TEST_CASE("a child that has ended is named in the composite's error", "[composite][B30]") {
  Stage stage;
  const auto child = recording_child(stage.world, new_trace(), "gone");
  compose(stage, {{"gone", trigger("after_epoch"), child}});
  stage.world.self->send_exit(child, caf::exit_reason::kill);
  stage.world.run();
  CHECK_THAT(stage.run().error, Catch::Contains("its child 'gone' failed"));
}

TEST_CASE("a child that takes too long is named in the composite's error", "[composite][B30]") {
  const auto error_with = [](double deadline) {
    Stage stage{{.epochs = 1}};
    StreamMonitoringOptions options;
    options.gate = true;
    const auto slow = stage.world.keep(spawn_stream_monitoring(
      stage.world.system, options, slow_evaluator(stage.world, 100), stage.logger));
    CompositeOptions composite;
    composite.deadline = deadline;
    compose(stage, {{"slow", trigger("after_epoch"), slow}}, composite);
    return stage.run(1s).error;
  };
  CHECK_THAT(error_with(20), Catch::Contains("its child 'slow' did not answer within 20 s"));
  // cure: s; raise the deadline of the composite if it may take so long
  CHECK(error_with(200).empty());
}

TEST_CASE("two monitors in one composite both announce their records", "[composite][B30]") {
  Stage stage{{.epochs = 1}};
  std::vector<CompositeChild> children;
  for (const auto* section : {"validation", "test"}) {
    StreamMonitoringOptions options;
    options.section = section;
    children.push_back({section, trigger("after_epoch"),
                        stage.world.keep(spawn_stream_monitoring(
                          stage.world.system, options,
                          slow_evaluator(stage.world, section[0] == 'v' ? 5 : 9), stage.logger))});
  }
  compose(stage, children);
  stage.run(1s);
  Pending<Row> row{stage.world, stage.logger, ReadRow{{0, 3}}};
  stage.world.pass(20s, 1s);
  REQUIRE(row.answered());
  CHECK(row->records.count("validation_loss") == 1);
  CHECK(row->records.count("test_loss") == 1);
}

TEST_CASE("draining a composite drains its children", "[composite][B30]") {
  Stage stage{{.epochs = 1}};
  const auto slow = stage.world.keep(
    spawn_stream_monitoring(stage.world.system, {}, slow_evaluator(stage.world, 10), stage.logger));
  const auto gone = recording_child(stage.world, new_trace(), "gone");
  const auto extension = compose(
    stage, {{"gone", trigger("before_training"), gone}, {"slow", trigger("after_epoch"), slow}});
  stage.run(1s);
  stage.world.self->send_exit(gone, caf::exit_reason::kill);
  Pending<Drained> drained{stage.world, extension, Drain{}};
  stage.world.pass(8s, 1s);
  CHECK_FALSE(drained.answered());
  stage.world.pass(4s, 1s);
  CHECK(drained.answered());
}

TEST_CASE("a composite's children continue after a restart", "[composite][B30]") {
  const std::vector<double> losses{9, 8, 7, 8, 7, 6, 7, 7, 7};
  const auto stop_early = [&](Stage& stage, const Trace& trace) {
    script(stage, losses);
    CompositeOptions options;
    options.logger = stage.logger;
    return compose(stage,
                   {{"track", track_the_best_conditions(),
                     stage.world.keep(spawn_track_the_best(stage.world.system, {}, stage.logger))},
                    {"finish", finish_if_no_improvement_conditions(),
                     stage.world.keep(spawn_finish_if_no_improvement(stage.world.system,
                                                                     {.epochs = 3}, stage.logger))},
                    {"save", on_best("validation_loss_best_so_far"),
                     recording_child(stage.world, trace, "save")}},
                   options);
  };
  Stage whole{{.epochs = 12}};
  auto undisturbed = new_trace();
  stop_early(whole, undisturbed);
  CHECK(whole.run().position.epochs == 9);
  for (Epoch cut = 1; cut < 9; ++cut) {
    Stage stage{{.epochs = 12}};
    auto trace = new_trace();
    const auto first = stop_early(stage, trace);
    stage.finish_after(last_batch_of(cut));
    stage.run();
    const auto finished
      = resume_in_a_new_trainer(stage, first, [&] { return stop_early(stage, trace); });
    CHECK(finished.position.epochs == 9);
    CHECK(*trace == *undisturbed);
  }
}

TEST_CASE("children's states are saved under their names", "[composite][B30]") {
  Stage stage{{.epochs = 1}};
  script(stage, {5});
  const auto extension = compose(
    stage, {{"track", track_the_best_conditions(),
             stage.world.keep(spawn_track_the_best(stage.world.system, {}, stage.logger))}});
  stage.run();
  const auto saved = stage.world.ask<SavedExtension>(extension, SaveExtension{});
  REQUIRE(saved);
  CHECK(number_in(saved->state, "track.best.value") == 5);
}

TEST_CASE("a child whose save fails is named", "[composite][B30]") {
  Stage stage;
  const auto gone = recording_child(stage.world, new_trace(), "gone");
  const auto extension = compose(stage, {{"gone", trigger("after_epoch"), gone}});
  stage.world.self->send_exit(gone, caf::exit_reason::kill);
  stage.world.run();
  const auto saved = stage.world.ask<SavedExtension>(extension, SaveExtension{});
  REQUIRE_FALSE(saved);
  CHECK_THAT(sentence(saved.error()), Catch::Contains("its child 'gone' failed"));
}

TEST_CASE("a composite may be a child", "[composite][B30]") {
  Stage stage{{.epochs = 2}};
  auto trace = new_trace();
  const std::vector<CompositeChild> inner{
    {"leaf", trigger("after_epoch"), recording_child(stage.world, trace, "leaf")}};
  const auto child = stage.world.keep(spawn_composite(stage.world.system, inner));
  compose(stage, {{"inner", composite_conditions(inner), child}});
  stage.run();
  CHECK(*trace == std::vector<std::string>{"leaf after_epoch 3", "leaf after_epoch 6"});
}

TEST_CASE("as an observer a composite forwards copies", "[composite][B30]") {
  Stage stage{{.epochs = 2}};
  auto trace = new_trace();
  const std::vector<CompositeChild> children{
    {"a", trigger("after_epoch"), recording_child(stage.world, trace, "a")}};
  const auto extension = stage.world.keep(spawn_composite(stage.world.system, children));
  stage.observe("composite", composite_conditions(children), extension);
  stage.run();
  CHECK(*trace == std::vector<std::string>{"a after_epoch 3 observed", "a after_epoch 6 observed"});
}

TEST_CASE("children without a unique name or an actor are refused", "[composite][B30]") {
  Stage stage;
  const auto child = recording_child(stage.world, new_trace(), "child");
  const auto spawn = [&](const std::vector<CompositeChild>& children) {
    return spawn_composite(stage.world.system, children);
  };
  CHECK_THROWS_WITH(spawn({{"", {}, child}}), Catch::Contains("without dots"));
  CHECK_THROWS_WITH(spawn({{"a.b", {}, child}}), Catch::Contains("'a.b'"));
  // cure: ; give it a name without dots, since the name is the prefix of its saved state
  CHECK_NOTHROW(stage.world.keep(spawn({{"a_b", {}, child}})));
  CHECK_THROWS_WITH(spawn({{"a", {}, child}, {"a", {}, child}}), Catch::Contains("rename one"));
  // cure: '; rename one
  CHECK_NOTHROW(stage.world.keep(spawn({{"a", {}, child}, {"b", {}, child}})));
  CHECK_THROWS_WITH(spawn({{"a", {}, {}}}), Catch::Contains("has no actor"));
  // cure: a composite has no actor; spawn it first
  CHECK_NOTHROW(
    stage.world.keep(spawn({{"a", {}, recording_child(stage.world, new_trace(), "spawned")}})));
  CHECK_THROWS_WITH(spawn({{"a", Conditions{}.add_condition({"after_epoch"}, "mine"), child}}),
                    Catch::Contains("unknown predicate 'mine'"));
  CompositeOptions options;
  options.deadline = 0;
  CHECK_THROWS_WITH(spawn_composite(stage.world.system, {}, options),
                    Catch::Contains("deadline of composite"));
}
