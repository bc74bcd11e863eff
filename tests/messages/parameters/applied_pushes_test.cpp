#include "messages/parameters/applied_pushes.hpp"
#include "messages/requests/error.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

namespace {

Push numbered(WorkerId worker, std::uint64_t incarnation, std::uint64_t number) {
  Push push;
  push.id = {worker, incarnation, number};
  return push;
}

} // namespace

TEST_CASE("a push comes after those before it, and only once", "[parameter_store][L4]") {
  AppliedPushes applied;
  applied.join(3, 1);
  CHECK(applied.check({3, 1, 0}, "push 0") == Error::stale); // numbers begin at 1
  CHECK_FALSE(applied.check({3, 1, 5}, "push 5"));
  CHECK(applied.count(numbered(3, 1, 5), 8) == Applied{8, 7});
  CHECK(applied.repeated({3, 1, 5}));
  CHECK_FALSE(applied.repeated({3, 1, 6}));
  const auto refused = applied.check({3, 1, 4}, "push 4");
  REQUIRE(refused == Error::stale);
  CHECK_THAT(sentence(refused), Catch::Contains("push 4 of worker 3 comes after its push 5"));
  CHECK(applied.last_push(3) == PushId{3, 1, 5});
  CHECK(applied.last_reply(3) == Applied{8, 7});
  CHECK(applied.pushes() == 1);
}

TEST_CASE("a new incarnation numbers its pushes from 1", "[parameter_store][L9]") {
  AppliedPushes applied;
  applied.join(3, 1);
  applied.count(numbered(3, 1, 5), 1);
  applied.join(3, 2);
  CHECK_FALSE(applied.check({3, 2, 1}, "push 1"));
  CHECK_FALSE(applied.repeated({3, 2, 5}));
  applied.count(numbered(3, 2, 1), 2);
  CHECK(applied.numbers() == std::map<WorkerId, std::vector<std::uint64_t>>{{3, {5, 1}}});
}

TEST_CASE("a saved journal continues in another one", "[parameter_store][restart]") {
  AppliedPushes applied;
  applied.join(0, 1);
  applied.join(2, 1);
  applied.count(numbered(0, 1, 1), 1);
  PushPart part;
  part.id = {2, 1, 1};
  applied.count(part, 2);
  SavedHolder saved;
  applied.save(saved);
  AppliedPushes other;
  other.restore(saved);
  CHECK(other.pushes() == 2);
  CHECK(other.mark() == applied.mark());
  CHECK(other.repeated({2, 1, 1}));
  CHECK(other.last_reply(2) == Applied{2, 0});
}
