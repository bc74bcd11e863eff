#include "messages/schedule/triggered.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace troupe;
using Catch::Contains;

namespace {

/// A callback that fired: where, and what.
struct Call {
  Callback callback;
  Step batches;
  std::vector<Firing> firings;
};

/// Runs the callbacks of a run, in the order of the main loop of Blocks, and records what fires.
class Run {
public:
  explicit Run(const Conditions& conditions, Position start = {}, PredicateRegistry predicates = {})
    : now_(start),
      triggered_(conditions, start, predicates) {}

  Run& call(Callback callback, const Records& row = {}) {
    auto fired = triggered_.possible(callback, now_) ? triggered_.firings(callback, now_, row)
                                                     : std::vector<Firing>{};
    if (!fired.empty())
      calls.push_back({callback, now_.batches, std::move(fired)});
    return *this;
  }

  Run& epochs(int epochs, int batches, double seconds = 1) {
    for (int e = 0; e < epochs; ++e) {
      call(Callback::before_epoch);
      for (int b = 0; b < batches; ++b) {
        call(Callback::before_batch);
        ++now_.batches;
        now_.examples += 32;
        now_.seconds += seconds;
        call(Callback::after_batch);
      }
      ++now_.epochs;
      call(Callback::after_epoch);
    }
    return *this;
  }

  Run& whole() { // 2 epochs of 3 batches, resumed, interrupted, failed
    call(Callback::before_training).call(Callback::on_resumption).epochs(2, 3);
    return call(Callback::on_interrupt).call(Callback::on_error).call(Callback::after_training);
  }

  std::vector<Step> batches() const {
    std::vector<Step> result;
    for (const auto& call : calls)
      result.push_back(call.batches);
    return result;
  }

  std::vector<Call> calls;

private:
  Position now_;
  Triggered triggered_;
};

using Steps = std::vector<Step>;

Conditions trigger(std::string_view name, const Value& value) {
  return Conditions{}.set_trigger(name, value);
}

Position at_position(Step batches, Epoch epochs) {
  return {.batches = batches, .epochs = epochs, .timelines = {}};
}

} // namespace

TEST_CASE("the callbacks keep their order and their names", "[condition][B26]") {
  for (std::size_t i = 0; i < callback_names.size(); ++i) {
    const auto callback = static_cast<Callback>(i);
    CHECK(callback_from(callback_names[i]) == callback);
    CHECK(to_string(callback) == callback_names[i]);
  }
  CHECK(to_string(Callback::after_training) == "after_training");
  CHECK_FALSE(callback_from("before_first_epoch"));
  CHECK_FALSE(callback_from(""));
  CHECK(to_string(static_cast<Callback>(200)) == "callback 200");
}

TEST_CASE("values are truthy unless they are zero or empty", "[condition][B21]") {
  for (const Value& value : {Value{false}, Value{std::int64_t{0}}, Value{0.0}, Value{""}})
    CHECK_FALSE(truthy(value));
  for (const Value& value : {Value{true}, Value{-1}, Value{0.1}, Value{"false"}})
    CHECK(truthy(value));
  CHECK(to_string(Value{true}) == "true");
  CHECK(to_string(Value{17}) == "17");
  CHECK(to_string(Value{0.1}) == "0.1");
  CHECK(to_string(Value{"text"}) == "text");
}

TEST_CASE("each of the ten boolean triggers fires exactly where expected", "[condition][B18]") {
  auto fires = [](std::string_view name, Callback callback, const Steps& batches) {
    Run run{trigger(name, true)};
    run.whole();
    INFO(name);
    CHECK(run.batches() == batches);
    for (const auto& call : run.calls) {
      CHECK(call.callback == callback);
      CHECK(call.firings.size() == 1);
      CHECK(call.firings[0].times == 1);
    }
  };
  fires("before_training", Callback::before_training, {0});
  fires("on_resumption", Callback::on_resumption, {0});
  fires("before_first_epoch", Callback::before_epoch, {0});
  fires("before_epoch", Callback::before_epoch, {0, 3});
  fires("before_batch", Callback::before_batch, {0, 1, 2, 3, 4, 5});
  fires("after_batch", Callback::after_batch, {1, 2, 3, 4, 5, 6});
  fires("after_epoch", Callback::after_epoch, {3, 6});
  fires("on_interrupt", Callback::on_interrupt, {6});
  fires("on_error", Callback::on_error, {6});
  fires("after_training", Callback::after_training, {6});
}

TEST_CASE("every_n fires when n divides the count", "[condition][B19]") {
  CHECK(Run{trigger("every_n_batches", 3)}.epochs(1, 10).batches() == Steps{3, 6, 9});
  CHECK(Run{trigger("every_n_epochs", 2)}.epochs(5, 10).batches() == Steps{20, 40});
  // A resumed run keeps the count.
  CHECK(Run{trigger("every_n_batches", 3), at_position(7, 0)}.epochs(1, 6).batches()
        == Steps{9, 12});
}

TEST_CASE("after_n fires once, and not in a run that resumes past n", "[condition][B20]") {
  CHECK(Run{trigger("after_n_batches", 4)}.epochs(3, 5).batches() == Steps{4});
  CHECK(Run{trigger("after_n_epochs", 2)}.epochs(4, 5).batches() == Steps{10});
  CHECK(Run{trigger("after_n_batches", 4), at_position(4, 0)}.epochs(3, 5).calls.empty());
  CHECK(Run{trigger("after_n_batches", 4), at_position(3, 0)}.epochs(3, 5).batches() == Steps{4});
}

TEST_CASE("a condition that can no longer become true is reported", "[condition][B20]") {
  Conditions conditions;
  conditions.set_trigger("after_n_batches", 100)
    .set_trigger("after_n_epochs", 2)
    .set_trigger("every_n_batches", 10)
    .set_trigger("before_first_epoch", true)
    .when(parse_schedule("at(50) & each(7)"))
    .when(parse_schedule("at(100) | each(60 seconds)"))
    .when(parse_schedule("at(100) & each(60 seconds)"));
  CHECK(lost_conditions(conditions, Position{}).size() == 1); // 7 does not divide 50
  const auto past = lost_conditions(conditions, at_position(100, 2));
  REQUIRE(past.size() == 4); // before_first_epoch had its time
  CHECK_THAT(past[0], Contains("after_n_batches") && Contains("at(100 batches)"));
  CHECK_THAT(past[0], Contains("batch 100"));
  CHECK_THAT(past[1], Contains("after_n_epochs"));
  CHECK_THAT(past[2], Contains("each(7 batches)"));
  CHECK_THAT(past[3], Contains("at(100 batches) & each(60 seconds)"));
  CHECK(lost_conditions(conditions, at_position(99, 1)).size() == 1);
}

TEST_CASE("a falsy trigger is no condition and removes a default", "[condition][B21]") {
  auto extension = Conditions{}.set_trigger("after_epoch", true).set_trigger("every_n_batches", 2);
  for (const Value& falsy : {Value{false}, Value{0}, Value{""}})
    CHECK(Conditions{extension}.set_trigger("after_epoch", falsy).all().size() == 1);
  extension.set_trigger("after_epoch", false);
  CHECK(Run{extension}.epochs(1, 5).batches() == Steps{2, 4});
  extension.set_trigger("every_n_batches", 0).set_trigger("on_error", false);
  CHECK(extension.empty());
}

TEST_CASE("a trigger set twice is one condition, in its first place", "[condition][B21]") {
  Conditions conditions;
  conditions.set_trigger("every_n_batches", 2).set_trigger("after_batch", true);
  conditions.set_trigger("every_n_batches", 3, {"later"});
  REQUIRE(conditions.all().size() == 2);
  CHECK(conditions.all()[0].schedule == each(3));
  CHECK(conditions.all()[0].arguments == std::vector<std::string>{"later"});
}

TEST_CASE("a trigger with a value of the wrong kind is rejected", "[condition][B21]") {
  Conditions c;
  CHECK_THROWS_WITH(c.set_trigger("every_n_batches", -3), Contains("positive number, not '-3'"));
  CHECK_THROWS_WITH(c.set_trigger("every_n_batches", true), Contains("positive number"));
  CHECK_THROWS_WITH(c.set_trigger("every_n_batches", 2.5), Contains("every_n_batches: 2.5"));
  CHECK_THROWS_WITH(c.set_trigger("every_n_batches", "10"), Contains("not '10'"));
  CHECK_THROWS_WITH(c.set_trigger("after_epoch", 5), Contains("true or false, not '5'"));
  CHECK_THROWS_WITH(c.set_trigger("when", 10), Contains("text of a schedule"));
  CHECK_THROWS_WITH(c.set_trigger("when", "each(10"), Contains("when: column 8"));
  CHECK_THROWS_WITH(c.set_trigger("every_n_batch", 1), Contains("did you mean 'every_n_batches'"));
  CHECK_THROWS_AS(c.set_trigger("after_n_epochs", std::nan("")), std::invalid_argument);
  CHECK(c.empty());
}

TEST_CASE("before_first_epoch fires once, and not in a resumed run", "[condition][B22]") {
  const auto conditions = trigger("before_first_epoch", true);
  CHECK(Run{conditions}.epochs(3, 2).batches() == Steps{0});
  CHECK(Run{conditions, at_position(2, 1)}.epochs(3, 2).calls.empty());
}

TEST_CASE("each true condition is one firing, in order, with its own arguments",
          "[condition][B23]") {
  Conditions conditions;
  conditions.set_trigger("every_n_epochs", 1, {"second.ckpt", "x"})
    .set_trigger("after_epoch", true, {"first.ckpt"})
    .add_condition({"after_batch"}, "", {"unrelated"});
  Run run{conditions};
  run.epochs(1, 1);
  REQUIRE(run.calls.size() == 2);
  const auto& fired = run.calls[1].firings;
  REQUIRE(fired.size() == 2);
  CHECK(fired[0].arguments == std::vector<std::string>{"second.ckpt", "x"});
  CHECK(fired[1].arguments == std::vector<std::string>{"first.ckpt"});
}

TEST_CASE("coalesced conditions are one firing with all arguments", "[condition][B23]") {
  Conditions conditions;
  conditions.add_condition({"after_batch"}, "", {"a", "b"}).when(each(1), {"b", "c"}).coalesce();
  Triggered triggered{conditions, Position{}};
  const auto fired = triggered.firings(Callback::after_batch, at_position(5, 0), {});
  REQUIRE(fired.size() == 1);
  CHECK(fired[0].times == 5);
  CHECK(fired[0].arguments == std::vector<std::string>{"a", "b", "c"});
}

TEST_CASE("a condition that is apart fires separately beside coalesced ones", "[condition][B23]") {
  Condition apart;
  apart.callback = Callback::after_batch;
  apart.arguments = {"alone"};
  apart.apart = true;
  Conditions conditions;
  conditions.add_condition({"after_batch"}, "", {"a"})
    .add_condition(apart)
    .add_condition({"after_batch"}, "", {"b"})
    .coalesce();
  Triggered triggered{conditions, Position{}};
  const auto fired = triggered.firings(Callback::after_batch, at_position(1, 0), {});
  REQUIRE(fired.size() == 2);
  CHECK(fired[0].arguments == std::vector<std::string>{"a", "b"});
  CHECK(fired[1].arguments == std::vector<std::string>{"alone"});
}

TEST_CASE("a firing says how many times it stands for", "[condition][B23][P4]") {
  Triggered triggered{Conditions{}.when(each(50).examples()), Position{}};
  Position p;
  p.examples = 120;
  CHECK(triggered.firings(Callback::after_batch, p, {})[0].times == 2);
}

TEST_CASE("on_record fires if the row has the record and it is truthy", "[condition][B24]") {
  Conditions conditions;
  conditions.add_condition({"after_epoch"}, on_record("best_so_far"), {"best.ckpt"});
  auto fires = [&](const Records& row) {
    return Run{conditions}.call(Callback::after_epoch, row).calls.size() == 1;
  };
  CHECK(fires({{"best_so_far", true}}));
  CHECK(fires({{"best_so_far", 0.5}}));
  CHECK_FALSE(fires({{"best_so_far", false}}));
  CHECK_FALSE(fires({{"other", true}}));
  CHECK_FALSE(fires({}));
  CHECK_THROWS_AS(on_record(""), std::invalid_argument);
}

TEST_CASE("a custom predicate decides by row and position", "[condition][B24]") {
  PredicateRegistry registry;
  registry["low_cost"] = [](const Records& row, const Position& now) {
    const auto cost = row.find("cost");
    return cost != row.end() && std::get<double>(cost->second) < 0.5 && now.batches == 0;
  };
  Conditions conditions;
  conditions.add_condition({"after_batch"}, "low_cost");
  CHECK(Run{conditions, {}, registry}.call(Callback::after_batch, {{"cost", 0.25}}).calls.size()
        == 1);
  CHECK(Run{conditions, {}, registry}.call(Callback::after_batch, {{"cost", 0.75}}).calls.empty());
  CHECK(Run{conditions, {}, registry}.call(Callback::after_batch).calls.empty());
}

TEST_CASE("an unknown predicate is rejected before training", "[condition][B24]") {
  const PredicateRegistry registry{{"low_cost", [](auto&&...) { return true; }}, {"empty", {}}};
  for (auto name : {"low_cots", "empty", "on_record()"})
    CHECK_THROWS_AS(
      (Triggered{Conditions{}.add_condition({"after_batch"}, name), Position{}, registry}),
      std::invalid_argument);
  CHECK_THROWS_WITH(
    (Triggered{Conditions{}.add_condition({"after_batch"}, "low_cots"), Position{}, registry}),
    Contains("did you mean 'low_cost'?"));
}

TEST_CASE("arguments are only the user's, for any callback", "[condition][B25]") {
  Conditions conditions;
  conditions.add_condition({"after_batch", "on_error", "after_training"}, "", {"model.ckpt"});
  conditions.add_condition({"on_error"});
  Run run{conditions};
  run.whole();
  for (const auto& call : run.calls)
    CHECK(call.firings[0].arguments == std::vector<std::string>{"model.ckpt"});
  REQUIRE(run.calls.size() == 8);
  CHECK(run.calls[6].callback == Callback::on_error);
  CHECK(run.calls[6].firings[1].arguments.empty()); // no exception that could be mistaken for a
                                                    // path
}

TEST_CASE("a bad callback name fails at once, and nothing is added", "[condition][B26]") {
  Conditions conditions;
  CHECK_THROWS_WITH(conditions.add_condition({"after_epoch", "after_epoc"}),
                    Contains("'after_epoc'") && Contains("before_first_epoch")
                      && Contains("after_training") && Contains("on_interrupt"));
  CHECK_THROWS_WITH(conditions.add_condition(std::vector<std::string>{}),
                    Contains("at least one callback"));
  CHECK_THROWS_AS(conditions.add_condition({"every_n_batches"}), std::invalid_argument);
  CHECK_THROWS_AS(
    conditions.add_condition(Condition{.callback = static_cast<Callback>(callback_names.size()),
                                       .record = {},
                                       .predicate = {},
                                       .arguments = {},
                                       .trigger = {}}),
    std::invalid_argument);
  CHECK(conditions.empty());
  CHECK(Run{conditions.add_condition({"before_first_epoch"})}.epochs(2, 1).batches() == Steps{0});
}

TEST_CASE("set_conditions replaces everything and can be chained", "[condition][B27]") {
  Conditions conditions;
  conditions.add_condition({"on_error"})
    .set_conditions({{"after_epoch", true}, {"every_n_batches", 2}})
    .set_conditions({{"after_n_batches", 3}, {"before_training", false}})
    .coalesce();
  CHECK(conditions.all().size() == 1);
  CHECK(Run{conditions}.whole().batches() == Steps{3});
  CHECK_THROWS_AS(conditions.set_conditions({{"on_error", true}, {"nonsense", true}}),
                  std::invalid_argument);
  CHECK(conditions.all().size() == 1);
}

TEST_CASE("every_n_seconds fires after the batch in which they have passed",
          "[condition][B54][P9]") {
  const auto conditions = trigger("every_n_seconds", 1);
  CHECK(Run{conditions}.epochs(1, 10, 0.4).batches() == Steps{3, 5, 8, 10});
  CHECK(Run{trigger("every_n_seconds", 2.5)}.epochs(1, 10).batches() == Steps{3, 5, 8, 10});
  // Time used before a resume counts.
  Position start;
  start.seconds = 0.9;
  CHECK(Run{conditions, start}.epochs(1, 3, 0.4).batches() == Steps{1, 3});
}

TEST_CASE("when takes any schedule: after a batch, or after an epoch if it refers to epochs only",
          "[condition][P5]") {
  auto callback = [](const char* text) { return trigger("when", text).all().front().callback; };
  CHECK(callback("each(10) & ~at(20, 30)") == Callback::after_batch);
  CHECK(callback("each(60 seconds) | at(1 epochs)") == Callback::after_batch);
  CHECK(callback("each(2 epochs) | at(1 epoch)") == Callback::after_epoch);
  CHECK(Run{trigger("when", "each(10) & ~at(20, 30)")}.epochs(5, 10).batches()
        == Steps{10, 40, 50});
  CHECK(Run{trigger("when", "each(2 epochs) | at(1 epoch)")}.epochs(4, 10).batches()
        == Steps{10, 20, 40});
}

TEST_CASE("an epoch is noticed where it ends, also in a schedule of several timelines",
          "[condition][P5][P6]") {
  const auto fired = [](const std::string& text) { // 5 epochs of 10 batches of 32 examples
    return Run{trigger("when", text)}.epochs(5, 10).batches();
  };
  CHECK(fired("each(1 epoch) | at(3)") == Steps{3, 10, 20, 30, 40, 50});
  CHECK(fired("each(60 seconds) | at(1 epoch)") == Steps{10});
  CHECK(fired("each(10) | each(1 epoch)") == Steps{10, 20, 30, 40, 50}); // once each
  CHECK(fired("each(20 batches) & each(1 epoch)") == Steps{20, 40});
  CHECK(fired("~each(1 epoch) & at(10, 15)") == Steps{10, 15}); // the batch comes before its end
  const auto calls = Run{trigger("when", "each(4) | each(2 epochs)")}.epochs(2, 4).calls;
  REQUIRE(calls.size() == 2);
  CHECK(calls[1].callback == Callback::after_batch);
  Run resumed{trigger("when", "at(3 epochs) | at(7)"), at_position(20, 2)};
  CHECK(resumed.epochs(2, 10).batches() == Steps{30});
}

TEST_CASE("a complement on another timeline is evaluated at the moment", "[condition][P5]") {
  const auto fired
    = [](const std::string& text) { return Run{trigger("when", text)}.epochs(3, 10).batches(); };
  CHECK(fired("each(10 batches) & ~each(1 epoch)") == Steps{10, 20, 30});
  CHECK(fired("each(5 batches) & ~at(2 epochs)") == Steps{5, 10, 15, 20, 25, 30});
  CHECK(fired("at(1, 2, 3, 4, 5, 6, 7, 8) & ~each(100 examples)") == Steps{1, 2, 3, 5, 6, 8});
  const Steps inside{1,  2,  3,  4,  5,  6,  7,  8,  9,  11, 12, 13, 14, 15,
                     16, 17, 18, 19, 21, 22, 23, 24, 25, 26, 27, 28, 29};
  CHECK(fired("~(each(10 batches) | each(1 epoch)) & each(1)") == inside);
  CHECK(fired("~each(10 batches) & ~each(1 epoch) & each(1)") == inside); // de Morgan
}

TEST_CASE("when accepts registered timelines only", "[condition][P14]") {
  CHECK_THROWS_WITH(trigger("when", "each(5 tokens)"), Contains("unknown timeline 'tokens'"));
  Conditions conditions;
  conditions.set_trigger("when", "each(5 tokens)", {}, {"tokens"});
  CHECK_THROWS_AS((Triggered{conditions, Position{}}), std::invalid_argument);
  Position p;
  p.timelines["tokens"] = 0;
  CHECK_NOTHROW(Triggered{conditions, p});
}

TEST_CASE("conditions are values: equal, copied, and every field listed", "[condition]") {
  auto conditions = trigger("every_n_batches", 3);
  auto copy = conditions;
  CHECK(copy == conditions);
  copy.coalesce();
  CHECK_FALSE(copy == conditions);
  detail::check_fields<Condition>();
  detail::check_fields<Firing>();
}

TEST_CASE("without conditions none is ever possible", "[condition]") {
  Triggered none;
  CHECK_FALSE(none.possible(Callback::after_batch, Position{}));
  CHECK(none.firings(static_cast<Callback>(99), Position{}, {}).empty());
  CHECK_FALSE(none.possible(static_cast<Callback>(99), Position{}));
}

TEST_CASE("each_episode counts batches from 0", "[condition][M21]") {
  Condition condition;
  condition.callback = Callback::after_batch;
  condition.predicate = each_episode(3);
  Run run{Conditions{}.add_condition(condition)};
  CHECK(run.epochs(2, 4).batches() == Steps{1, 4, 7});
  CHECK_THROWS_AS(each_episode(0), std::invalid_argument);
  for (const auto* n : {"0", "-1", "+3", " 3", "3x", "1.5", "99999999999999999999"}) {
    condition.predicate = std::string{"each_episode("} + n + ")";
    CHECK_THROWS_WITH((Run{Conditions{}.add_condition(condition)}),
                      Catch::Contains("'" + std::string{n} + "' is no number of episodes"));
  }
}

TEST_CASE("lacks_record holds if the row does not have the record, even a zero one",
          "[condition][M22]") {
  Condition condition;
  condition.callback = Callback::after_training;
  condition.predicate = lacks_record("loss");
  Run run{Conditions{}.add_condition(condition)};
  run.call(Callback::after_training, {{"loss", Value{0.0}}});
  CHECK(run.calls.empty());
  run.call(Callback::after_training, {{"other", Value{1.0}}});
  CHECK(run.calls.size() == 1);
  CHECK_THROWS_AS(lacks_record(""), std::invalid_argument);
}
