#include "extensions/support/child_conditions.hpp"
#include "tests/support/recorders.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using namespace troupe::test;

namespace {

LoopEvent moment(Callback callback, Step batches, Epoch epochs = 0) {
  LoopEvent event;
  event.callback = callback;
  event.position.batches = batches;
  event.position.epochs = epochs;
  return event;
}

Conditions on_row(const std::string& record) {
  return Conditions{}.add_condition({"before_epoch", "after_batch"}, on_record(record));
}

/// The events of a subscription with these conditions in three epochs of three batches.
std::vector<std::string> asked_with(const Conditions& conditions) {
  Triggered triggered{conditions, {}};
  std::vector<std::string> asked;
  const auto look = [&](const LoopEvent& event) {
    if (!triggered.firings(event.callback, event.position, {}).empty())
      asked.push_back(trace_text(event, ""));
  };
  look(moment(Callback::before_training, 0));
  for (Step batch = 1; batch <= 9; ++batch) {
    look(moment(Callback::after_batch, batch, (batch - 1) / 3));
    if (batch % 3 == 0)
      look(moment(Callback::after_epoch, batch, batch / 3));
  }
  return asked;
}

} // namespace

TEST_CASE("the union of conditions fires where one of them may fire, and at the start",
          "[child_conditions][B30]") {
  const auto each = [](std::int64_t n) { return trigger("every_n_batches", Value{n}); };
  CHECK(asked_with(union_of({each(4), each(6)}))
        == std::vector<std::string>{"before_training 0", "after_batch 4", "after_batch 6",
                                    "after_batch 8"});
  CHECK(asked_with(union_of({trigger("after_epoch")}))
        == std::vector<std::string>{"before_training 0", "after_epoch 3", "after_epoch 6",
                                    "after_epoch 9"});
  CHECK(asked_with(union_of({})) == std::vector<std::string>{"before_training 0"});
}

TEST_CASE("a schedule of two timelines sees every boundary", "[child_conditions][B30]") {
  const auto when = Conditions{}.when(parse_schedule("each(1 epoch) & ~each(2 batches)"));
  CHECK(asked_with(union_of({when})).size() == 1 + 9 + 3); // and the ends of the epochs
}

TEST_CASE("too many periods for one schedule see every boundary", "[child_conditions][B30]") {
  std::vector<Conditions> many;
  for (std::int64_t n = 11; n < 40; ++n)
    many.push_back(trigger("every_n_batches", Value{n}));
  CHECK(asked_with(union_of(many)).size() == 1 + 9);
}

TEST_CASE("a row ends with its batch, and with the run", "[child_conditions][B30]") {
  ChildConditions children{{on_row("seen")}, {}};
  children.follow(moment(Callback::before_training, 0));
  children.follow(moment(Callback::after_batch, 1));
  children.wrote({{"seen", Value{true}}});
  CHECK(children.firings(0, moment(Callback::after_batch, 1), {}).size() == 1);
  children.follow(moment(Callback::after_batch, 2));
  CHECK(children.firings(0, moment(Callback::after_batch, 2), {}).empty());
  children.wrote({{"seen", Value{true}}});
  children.follow(moment(Callback::before_training, 2));
  CHECK(children.firings(0, moment(Callback::before_epoch, 2), {}).empty());
}

TEST_CASE("after a restart the run continues its row", "[child_conditions][B30]") {
  ChildConditions first{{on_row("seen")}, {}}, second{{on_row("seen")}, {}};
  first.follow(moment(Callback::after_epoch, 3, 1));
  first.wrote({{"seen", Value{true}}});
  second.restore(first.state());
  second.follow(moment(Callback::before_training, 3, 1));
  second.follow(moment(Callback::before_epoch, 3, 1));
  CHECK(second.firings(0, moment(Callback::before_epoch, 3, 1), {}).size() == 1);
  second.follow(moment(Callback::after_batch, 4, 1));
  CHECK(second.firings(0, moment(Callback::after_batch, 4, 1), {}).empty());
}

TEST_CASE("records of other extensions replace those of children", "[child_conditions][B30]") {
  ChildConditions children{{on_row("seen")}, {}};
  children.follow(moment(Callback::after_batch, 1));
  children.wrote({{"seen", Value{true}}});
  CHECK(children.firings(0, moment(Callback::after_batch, 1), {{"seen", Value{false}}}).empty());
}

TEST_CASE("a row is read only if a child that needs it may fire", "[child_conditions][B30]") {
  ChildConditions children{{on_row("seen"), trigger("after_epoch")}, {}};
  children.follow(moment(Callback::before_training, 0));
  CHECK(children.want_row(moment(Callback::after_batch, 1)));
  CHECK_FALSE(children.want_row(moment(Callback::after_epoch, 3, 1)));
}

TEST_CASE("an extension subscribed during training fires at its first event",
          "[child_conditions][B30]") {
  ChildConditions children{{trigger("every_n_batches", Value{std::int64_t{5}})}, {}};
  const auto event = moment(Callback::after_batch, 20, 1);
  children.follow(event);
  CHECK(children.firings(0, event, {}) == std::vector<Firing>{{1, {}}});
}

TEST_CASE("a saved row of other types is ignored", "[child_conditions][B30]") {
  ChildConditions children{{on_row("seen")}, {}};
  children.restore({{"batch", Value{std::string{"three"}}}, {"row", Value{true}}});
  children.follow(moment(Callback::before_training, 0));
  CHECK(children.firings(0, moment(Callback::before_epoch, 0), {}).empty());
}

TEST_CASE("an unregistered predicate is refused", "[child_conditions][B30]") {
  const auto conditions = Conditions{}.add_condition({"after_epoch"}, "my_predicate");
  CHECK_THROWS_WITH((ChildConditions{{conditions}, {}}), Catch::Contains("my_predicate"));
}
