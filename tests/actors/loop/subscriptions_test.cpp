#include "actors/loop/subscriptions.hpp"
#include "tests/support/recorders.hpp"

using namespace troupe;

namespace {

/// Subscriptions of one recorder.
struct ListOfSubscriptions {
  Subscription& add(const std::string& name, const std::string& callback,
                    Shows shows = Shows::nothing) {
    const auto conditions = Conditions{}.set_trigger(callback, true);
    return list.add(Subscribe{name, conditions, observer, shows}, {}, {});
  }

  test::DeterministicSystem world;
  Observer observer = test::recording_observer(world, std::make_shared<std::vector<LoopEvent>>());
  Subscriptions list;
};

} // namespace

TEST_CASE("only callbacks that an extension listens to are called", "[subscriptions]") {
  ListOfSubscriptions all;
  CHECK_FALSE(all.list.any_at(Callback::after_batch));
  all.add("a", "after_batch");
  all.add("b", "before_update");
  CHECK(all.list.any_at(Callback::after_batch));
  CHECK(all.list.any_at(Callback::before_update));
  CHECK_FALSE(all.list.any_at(Callback::before_batch));
}

TEST_CASE("what a batch has to show is the most that an extension looks at", "[subscriptions]") {
  ListOfSubscriptions all;
  all.add("a", "after_batch", Shows::gradients);
  all.add("b", "after_batch", Shows::parameters);
  CHECK(all.list.any_shows(Shows::gradients));
  CHECK_FALSE(all.list.any_shows(Shows::step));
}

TEST_CASE("an ended subscription asks for nothing, and is removed later", "[subscriptions]") {
  ListOfSubscriptions all;
  auto& step = all.add("a", "before_update", Shows::step);
  all.add("b", "after_batch");
  all.list.end(step);
  CHECK(all.list.all().size() == 2);
  CHECK_FALSE(all.list.any_at(Callback::before_update));
  CHECK_FALSE(all.list.any_shows(Shows::step));
  CHECK(all.list.any_at(Callback::after_batch));
  all.list.sweep();
  CHECK(all.list.all().size() == 1);
}

TEST_CASE("the name of an ended subscription is free again", "[subscriptions]") {
  ListOfSubscriptions all;
  CHECK_THROWS_AS((all.add("a", "after_batch"), all.add("a", "after_batch")),
                  std::invalid_argument);
  all.list.end(*all.list.all().front());
  CHECK_NOTHROW(all.add("a", "after_epoch"));
}
