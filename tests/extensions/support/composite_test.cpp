#include "extensions/scheduling/hyperparameter_scheduler.hpp"
#include "extensions/stopping/track_the_best.hpp"
#include "extensions/support/merge_answers.hpp"
#include "tests/support/composite_stage.hpp"

#include <random>

using namespace troupe;
using namespace troupe::test;

namespace {

Conditions any_conditions(std::mt19937& random) {
  Conditions conditions;
  if (random() % 2)
    conditions.set_trigger("every_n_batches", Value{static_cast<std::int64_t>(1 + random() % 5)},
                           {"batches"});
  if (random() % 2)
    conditions.set_trigger("every_n_epochs", Value{static_cast<std::int64_t>(1 + random() % 3)});
  if (random() % 3 == 0)
    conditions.set_trigger("every_n_seconds", Value{0.5 + static_cast<double>(random() % 4)},
                           {"seconds"});
  if (random() % 3 == 0)
    conditions.when(parse_schedule("each(1 epoch) & ~each(2 batches)"), {"when"});
  if (random() % 3 == 0)
    conditions.add_condition({"before_epoch", "after_epoch", "after_batch"}, on_record("seen"));
  if (random() % 4 == 0)
    conditions.set_trigger("before_first_epoch", true).set_trigger("after_training", true);
  if (random() % 4 == 0)
    conditions.coalesce();
  return conditions;
}

} // namespace

TEST_CASE("children are asked in order, each on its own conditions", "[composite][B30]") {
  Stage stage{{.epochs = 2}};
  auto trace = new_trace();
  auto& world = stage.world;
  compose(stage, {{"a", trigger("after_epoch"), recording_child(world, trace, "a")},
                  {"b", trigger("every_n_batches", Value{std::int64_t{3}}),
                   recording_child(world, trace, "b")},
                  {"c", trigger("after_epoch"), recording_child(world, trace, "c")}});
  stage.run();
  CHECK(*trace
        == std::vector<std::string>{"b after_batch 3", "a after_epoch 3", "c after_epoch 3",
                                    "b after_batch 6", "a after_epoch 6", "c after_epoch 6"});
}

TEST_CASE("children are asked as by the trainer itself", "[composite][B30]") {
  std::mt19937 random{5};
  for (int round = 0; round < 25; ++round) {
    std::vector<Conditions> conditions;
    for (int i = 0; i < 3; ++i)
      conditions.push_back(any_conditions(random));
    const auto trace_with = [&](bool composed) {
      Stage stage{{.epochs = 5}};
      auto trace = new_trace();
      std::vector<CompositeChild> children;
      for (std::size_t i = 0; i < conditions.size(); ++i) {
        const auto name = "child " + std::to_string(i);
        children.push_back(
          {name, conditions[i],
           recording_child(stage.world, trace, name, i == 1 ? writes("seen") : AnswerOf{})});
      }
      if (composed)
        compose(stage, children);
      else
        for (const auto& child : children)
          stage.gate(child.name, child.conditions, child.extension);
      stage.finish_after(8); // twice: the second run resumes
      stage.run();
      stage.run();
      return *trace;
    };
    CHECK(trace_with(true) == trace_with(false));
  }
}

TEST_CASE("a child's condition sees the answers of earlier children", "[composite][B30]") {
  Stage stage{{.epochs = 4}};
  script(stage, {5, 6, 5, 4});
  auto trace = new_trace();
  compose(stage, {{"track", track_the_best_conditions(),
                   stage.world.keep(spawn_track_the_best(stage.world.system, {}, stage.logger))},
                  {"save", on_best("validation_loss_best_so_far"),
                   recording_child(stage.world, trace, "save")}});
  stage.run();
  CHECK(*trace == std::vector<std::string>{"save after_epoch 3", "save after_epoch 12"});
  CHECK(text_in(stage.row(12), "validation_loss_best_so_far") == "true");
}

TEST_CASE("with a logger a child's condition sees the records of other gates", "[composite][B30]") {
  const auto with_logger = GENERATE(true, false);
  Stage stage{{.epochs = 2}};
  script(stage, {0, 7});
  auto trace = new_trace();
  CompositeOptions options;
  if (with_logger)
    options.logger = stage.logger;
  compose(stage,
          {{"looker", on_best("validation_loss"), recording_child(stage.world, trace, "looker")}},
          options);
  stage.run();
  CHECK(trace->size() == (with_logger ? 1 : 0)); // 0 is not truthy
}

TEST_CASE("a predicate of a child is the registered one", "[composite][B30]") {
  Stage stage{{.epochs = 3}};
  auto trace = new_trace();
  CompositeOptions options;
  options.predicates["odd"]
    = [](const Records&, const Position& now) { return now.epochs % 2 == 1; };
  const std::vector<CompositeChild> children{{"odd one",
                                              Conditions{}.add_condition({"after_epoch"}, "odd"),
                                              recording_child(stage.world, trace, "odd one")}};
  compose(stage, children, options);
  stage.run();
  CHECK(*trace == std::vector<std::string>{"odd one after_epoch 3", "odd one after_epoch 9"});
}

TEST_CASE("answers are merged: the last value of each name, all reasons", "[composite][B30]") {
  GateAnswer whole, first, second;
  first.records = {{"a", Value{1.0}}, {"b", Value{1.0}}};
  first.settings = {{"learning_rate", 0.1}, {"momentum", 0.9}};
  first.parameters = Block::copy_of(std::vector<float>{1, 2});
  first.timelines = {{"games", 3}};
  first.finish = true;
  second.records = {{"b", Value{2.0}}};
  second.settings = {{"learning_rate", 0.2}};
  second.finish = true;
  second.reason = "enough";
  merge(whole, first, "one");
  merge(whole, second, "two");
  merge(whole, {}, "three");
  CHECK(whole.records == Records{{"a", Value{1.0}}, {"b", Value{2.0}}});
  CHECK(whole.settings == std::map<std::string, double>{{"learning_rate", 0.2}, {"momentum", 0.9}});
  CHECK(whole.parameters == first.parameters);
  CHECK(whole.timelines == first.timelines);
  CHECK(whole.finish);
  CHECK(whole.reason == "'one' asked for it; enough");
}

TEST_CASE("a child sees the parameters of an earlier child's answer", "[composite][B30]") {
  Stage stage{{.epochs = 1}};
  const auto seen = std::make_shared<float>(0.0f);
  const auto give = [](const LoopEvent&) {
    GateAnswer answer;
    answer.parameters = Block::copy_of(std::vector<float>{7});
    return caf::result<GateAnswer>{std::move(answer)};
  };
  const auto look = [=](const LoopEvent& event) {
    *seen = event.parameters.values.view()[0];
    return caf::result<GateAnswer>{GateAnswer{}};
  };
  auto trace = new_trace();
  compose(stage,
          {{"give", trigger("after_training"), recording_child(stage.world, trace, "give", give)},
           {"look", trigger("after_training"), recording_child(stage.world, trace, "look", look)}});
  CHECK(stage.run().parameters.values.view()[0] == 7);
  CHECK(*seen == 7);
}

TEST_CASE("a child changes a setting after an earlier child's change", "[composite][B30][B38]") {
  Stage stage{{.epochs = 1}};
  const auto times = [&](double factor) {
    return stage.world.keep(spawn_hyperparameter_scheduler(
      stage.world.system, "learning_rate", [factor](Step, double old) { return factor * old; }));
  };
  std::vector<double> seen;
  const auto look = [&](const LoopEvent& event) {
    seen.push_back(event.learning_rate);
    return caf::result<GateAnswer>{GateAnswer{}};
  };
  const auto watcher
    = [&](const char* name) { return recording_child(stage.world, new_trace(), name, look); };
  const auto first = trigger("before_training");
  compose(stage, {{"before", first, watcher("before")},
                  {"twice", first, times(2)},
                  {"thrice", first, times(3)},
                  {"behind", first, watcher("behind")}});
  stage.run();
  REQUIRE(seen.size() == 2);
  CHECK(seen[1] == seen[0] * 2 * 3);
}

TEST_CASE("training ends when a child asks for it", "[composite][B30]") {
  Stage stage;
  compose(stage, {{"end", trigger("after_n_batches", Value{std::int64_t{4}}),
                   stage.world.keep(spawn_finish_after(stage.world.system, "four are enough"))}});
  const auto finished = stage.run();
  CHECK(finished.position.batches == 4);
  CHECK(finished.causes == std::vector<std::string>{"four are enough"});
}
