#include "messages/parameters/push_journal.hpp"
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
  PushJournal journal;
  journal.join(3, 1);
  CHECK(journal.check({3, 1, 0}, "push 0") == Error::stale); // numbers begin at 1
  CHECK_FALSE(journal.check({3, 1, 5}, "push 5"));
  CHECK(journal.count(numbered(3, 1, 5), 8) == Applied{8, 7});
  CHECK(journal.repeated({3, 1, 5}));
  CHECK_FALSE(journal.repeated({3, 1, 6}));
  const auto refused = journal.check({3, 1, 4}, "push 4");
  REQUIRE(refused == Error::stale);
  CHECK_THAT(sentence(refused), Catch::Contains("push 4 of worker 3 comes after its push 5"));
  CHECK(journal.last_push(3) == PushId{3, 1, 5});
  CHECK(journal.last_reply(3) == Applied{8, 7});
  CHECK(journal.pushes() == 1);
}

TEST_CASE("a new incarnation numbers its pushes from 1", "[parameter_store][L9]") {
  PushJournal journal;
  journal.join(3, 1);
  journal.count(numbered(3, 1, 5), 1);
  journal.join(3, 2);
  CHECK_FALSE(journal.check({3, 2, 1}, "push 1"));
  CHECK_FALSE(journal.repeated({3, 2, 5}));
  journal.count(numbered(3, 2, 1), 2);
  CHECK(journal.numbers() == std::map<WorkerId, std::vector<std::uint64_t>>{{3, {5, 1}}});
}

TEST_CASE("a saved journal continues in another one", "[parameter_store][restart]") {
  PushJournal journal;
  journal.join(0, 1);
  journal.join(2, 1);
  journal.count(numbered(0, 1, 1), 1);
  PushPart part;
  part.id = {2, 1, 1};
  journal.count(part, 2);
  SavedHolder saved;
  journal.save(saved);
  PushJournal other;
  other.restore(saved);
  CHECK(other.pushes() == 2);
  CHECK(other.mark() == journal.mark());
  CHECK(other.repeated({2, 1, 1}));
  CHECK(other.last_reply(2) == Applied{2, 0});
}
