#include "actors/loop/callback_cursor.hpp"

#include <catch2/catch.hpp>

#include <stdexcept>
#include <string>

using namespace troupe;

namespace {

using Subscribers = std::vector<std::shared_ptr<Subscription>>;

std::shared_ptr<Subscription> subscriber(const std::string& name, const Conditions& conditions,
                                         const PredicateRegistry& predicates = {}) {
  auto one = std::make_shared<Subscription>();
  one->name = name;
  one->conditions = Triggered{conditions, {}, predicates};
  return one;
}

std::shared_ptr<Subscription> at_each_batch(const std::string& name) {
  return subscriber(name, Conditions{}.set_trigger("after_batch", true));
}

/// A run after that many batches.
RunState after(Step batches) {
  RunState run;
  run.position.batches = batches;
  return run;
}

/// The names of all subscriptions that the cursor still calls.
std::string called(CallbackCursor& cursor, const Subscribers& all, Step batches = 1,
                   bool main = true) {
  std::string names;
  while (const auto call = cursor.next(all, after(batches), main))
    names += call->subscription->name;
  return names;
}

} // namespace

TEST_CASE("the cursor calls subscriptions whose conditions fire, in order", "[callback_cursor]") {
  const Subscribers all{
    at_each_batch("a"), subscriber("b", Conditions{}.set_trigger("after_epoch", true)),
    subscriber("c", Conditions{}.set_trigger("every_n_batches", 2)), at_each_batch("d")};
  CallbackCursor cursor;
  cursor.begin(Callback::after_batch);
  CHECK(called(cursor, all) == "ad");
  cursor.begin(Callback::after_epoch);
  CHECK(called(cursor, all) == "b");
}

TEST_CASE("the cursor calls a subscription once for each condition that fires",
          "[callback_cursor]") {
  const Subscribers all{subscriber("a", Conditions{}
                                          .add_condition({"after_batch"}, "", {"first"})
                                          .add_condition({"after_batch"}, "", {"second"})),
                        at_each_batch("b")};
  CallbackCursor cursor;
  cursor.begin(Callback::after_batch);
  CHECK(cursor.next(all, after(1), true)->firing.arguments.front() == "first");
  CHECK(cursor.next(all, after(1), true)->firing.arguments.front() == "second");
  CHECK(called(cursor, all) == "b");
}

TEST_CASE("the cursor skips ended subscriptions, also between two firings", "[callback_cursor]") {
  const Subscribers all{
    subscriber("a", Conditions{}.add_condition({"after_batch"}).add_condition({"after_batch"})),
    at_each_batch("b"), at_each_batch("c")};
  CallbackCursor cursor;
  cursor.begin(Callback::after_batch);
  REQUIRE(cursor.next(all, after(1), true));
  all[0]->ended = all[1]->ended = true;
  CHECK(called(cursor, all) == "c");
}

TEST_CASE("the cursor calls main-only subscriptions only at the main worker", "[callback_cursor]") {
  const Subscribers all{at_each_batch("a"), at_each_batch("b")};
  all[0]->main_only = true;
  CallbackCursor cursor;
  cursor.begin(Callback::after_batch);
  CHECK(called(cursor, all, 1, false) == "b");
  cursor.begin(Callback::after_batch);
  CHECK(called(cursor, all, 2, true) == "ab");
}

TEST_CASE("a subscription added before the cursor is not called, and none is called twice",
          "[callback_cursor]") {
  Subscribers all{at_each_batch("a"), at_each_batch("b")};
  CallbackCursor cursor;
  cursor.begin(Callback::after_batch);
  CHECK(cursor.next(all, after(1), true)->subscription->name == "a");
  all.insert(all.begin(), at_each_batch("early"));
  cursor.added(0);
  all.push_back(at_each_batch("late"));
  cursor.added(3);
  CHECK(called(cursor, all) == "blate");
}

TEST_CASE("a condition that throws is named, and the cursor continues after it",
          "[callback_cursor]") {
  const PredicateRegistry predicates{
    {"bad", [](const Records&, const Position&) -> bool { throw std::runtime_error("no luck"); }}};
  const Subscribers all{
    subscriber("a", Conditions{}.add_condition({"after_batch"}, "bad"), predicates),
    at_each_batch("b")};
  CallbackCursor cursor;
  cursor.begin(Callback::after_batch);
  CHECK_THROWS_WITH(cursor.next(all, after(3), true),
                    "a condition of extension 'a' failed at after_batch of batch 3: no luck");
  CHECK(called(cursor, all) == "b");
}
