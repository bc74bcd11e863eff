#include "apps/session/worker_ends.hpp"
#include "tests/support/several_workers.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/exit_reason.hpp>

using namespace troupe;
using namespace troupe::test;

namespace {

/// Two workers in rounds, 4 s after a session has started them.
struct WorkersInRounds {
  static SeveralWorkersOptions options() {
    SeveralWorkersOptions options;
    options.sync.staleness = Staleness{0};
    options.batches = 40;
    return options;
  }

  SeveralWorkers workers{options(), ""};
  std::shared_ptr<std::vector<Finished>> ends = std::make_shared<std::vector<Finished>>();

  WorkersInRounds() {
    RunActors actors;
    actors.trainers = workers.trainers;
    actors.holders.assign(actors.trainers.size(), workers.holder);
    const auto heard = ends;
    const auto session
      = workers.world.keep(caf::actor_cast<WorkerEnds>(workers.world.system.spawn([=] {
          return caf::behavior{[=](const Finished& finished) { heard->push_back(finished); }};
        })));
    auto told = false;
    tell_to_start(workers.world.system, session, actors, 0, [&told] { told = true; });
    workers.world.run();
    REQUIRE(told);
    workers.world.pass(4s, 125ms);
    REQUIRE(ends->empty());
  }

  /// Long enough for any waiting actor.
  void train_on() { workers.world.pass(10min, 1s); }
};

} // namespace

TEST_CASE("a worker whose sync is lost fails, and the others train on without it",
          "[rounds][B45]") {
  WorkersInRounds run;
  run.workers.world.self->send_exit(run.workers.syncs[1], caf::exit_reason::unhandled_exception);
  run.train_on();
  REQUIRE(run.ends->size() == 2);
  CHECK(run.ends->front().worker == 1);
  CHECK(run.ends->front().outcome == Outcome::failed);
  CHECK(run.ends->back().outcome == Outcome::finished);
  CHECK(run.ends->back().position.batches == 40);
}

TEST_CASE("a worker that is stopped at once blocks no other by its missing push", "[rounds][B12]") {
  WorkersInRounds run;
  run.workers.world.self->send(run.workers.trainers[1], Stop{StopLevel::now, "enough", true});
  run.train_on();
  REQUIRE(run.ends->size() == 2);
  CHECK(run.ends->front().outcome == Outcome::interrupted);
  CHECK(run.ends->back().position.batches == 40);
}

TEST_CASE("a worker whose trainer is lost has failed, and blocks no other", "[rounds][B45]") {
  WorkersInRounds run;
  run.workers.world.self->send_exit(run.workers.trainers[1], caf::exit_reason::user_shutdown);
  run.train_on();
  REQUIRE(run.ends->size() == 2);
  CHECK(run.ends->front().worker == 1);
  CHECK(run.ends->front().outcome == Outcome::failed);
  CHECK_FALSE(run.ends->front().error.empty());
  CHECK(run.ends->back().position.batches == 40);
}
