#include "messages/quiesce/quiesced_workers.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

namespace {

using QuiescedNumbers = std::vector<std::size_t>;

Quiesced at_epoch(Epoch epochs) {
  Quiesced standing;
  standing.position.epochs = epochs;
  standing.training = true;
  return standing;
}

} // namespace

TEST_CASE("a quiescence is reached when the last worker has stopped", "[quiescence]") {
  QuiescedWorkers workers{2};
  workers.stopped(1, at_epoch(0));
  CHECK_FALSE(workers.all_stopped());
  CHECK(workers.moving() == QuiescedNumbers{0});
  workers.stopped(0, {});
  CHECK(workers.all_stopped());
  workers.begin();
  CHECK(workers.moving() == QuiescedNumbers{0, 1});
}

TEST_CASE("stopped workers continue for one that waits, but not those that have ended",
          "[quiescence]") {
  QuiescedWorkers workers{4};
  workers.stopped(0, at_epoch(0));
  workers.stopped(1, {});
  workers.stopped(2, at_epoch(0));
  CHECK(workers.continue_for({3}) == QuiescedNumbers{0, 2});
  CHECK(workers.moving() == QuiescedNumbers{0, 2, 3});
}

TEST_CASE("no worker continues for one that has stopped meanwhile", "[quiescence]") {
  QuiescedWorkers workers{2};
  workers.stopped(0, at_epoch(0));
  CHECK(workers.continue_for({0}).empty());
  CHECK(workers.any_stopped());
}

TEST_CASE("workers in different epochs can all end after that of the first", "[quiescence]") {
  QuiescedWorkers workers{3};
  workers.stopped(0, at_epoch(4));
  workers.stopped(1, at_epoch(5));
  workers.stopped(2, {});
  CHECK(workers.common_epochs() == 6);
}

TEST_CASE("one that waits is enough for the others to continue", "[quiescence]") {
  QuiescedWorkers workers{3};
  workers.stopped(0, at_epoch(0));
  workers.stopped(1, at_epoch(0));
  CHECK(workers.continue_for({0, 2}) == QuiescedNumbers{0, 1});
}

TEST_CASE("an unknown worker moves none", "[quiescence]") {
  QuiescedWorkers workers{2};
  workers.stopped(0, at_epoch(0));
  CHECK(workers.continue_for({7}).empty());
  CHECK(workers.moving() == QuiescedNumbers{1});
}

TEST_CASE("a worker that has ended continues for none, and has no epoch", "[quiescence]") {
  QuiescedWorkers workers{2};
  auto ended = at_epoch(9);
  ended.training = false;
  workers.stopped(1, ended);
  CHECK_FALSE(workers.any_stopped());
  CHECK(workers.common_epochs() == 0);
  workers.stopped(0, at_epoch(4));
  CHECK(workers.common_epochs() == 5);
}
