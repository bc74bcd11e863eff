#include "messages/evaluation/evaluation_agenda.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

namespace {

HolderStatus status_of(Version version, std::vector<WorkerId> workers,
                       std::vector<WorkerId> lost = {}) {
  HolderStatus status;
  status.version = version;
  for (auto worker : workers)
    status.journal[worker] = {1};
  status.workers = std::move(workers);
  status.lost = std::move(lost);
  return status;
}

struct Agenda : EvaluationAgenda {
  explicit Agenda(AgendaOptions options = {}) : EvaluationAgenda(options) { begin(0); }
};

} // namespace

TEST_CASE("versions between two measurements are counted as skipped", "[agenda][T22]") {
  Agenda agenda;
  agenda.hear(status_of(0, {0}), 0);
  CHECK(agenda.take(1) == 0);
  CHECK(agenda.take(4) == 2);
  CHECK(agenda.take(5) == 0);
  CHECK(agenda.last() == 5);
}

TEST_CASE("versions from before the evaluator's time are not skipped by it", "[agenda][T22]") {
  Agenda agenda;
  agenda.hear(status_of(100, {0}), 0);
  CHECK(agenda.take(100) == 0);
  Agenda later;
  later.hear(status_of(100, {0}), 0);
  CHECK(later.take(103) == 2);
}

TEST_CASE("a version that is measured late does not hide a newer one", "[agenda][T22]") {
  Agenda agenda;
  agenda.hear(status_of(5, {0}), 0);
  agenda.take(4);
  CHECK(agenda.unmeasured());
}

TEST_CASE("only every so many versions are measured where it is asked for", "[agenda][T22]") {
  Agenda agenda{{.every = 10}};
  agenda.hear(status_of(0, {0}), 0);
  CHECK_FALSE(agenda.due());
  agenda.hear(status_of(3, {0}), 1);
  CHECK(agenda.due());
  agenda.take(3);
  agenda.hear(status_of(12, {0}), 2);
  CHECK_FALSE(agenda.due());
  CHECK(agenda.unmeasured());
  agenda.hear(status_of(13, {0}), 3);
  CHECK(agenda.due());
}

TEST_CASE("it is over when the workers have left and not come back for a moment", "[agenda][T22]") {
  Agenda agenda;
  agenda.hear(status_of(0, {}), 0);
  CHECK_FALSE(agenda.end(1e6)); // nobody was there: they may come
  agenda.hear(status_of(5, {0, 1}), 10);
  agenda.hear(status_of(5, {1}), 20);
  CHECK_FALSE(agenda.end(1e6));
  agenda.hear(status_of(6, {}), 30);
  CHECK(agenda.workers_gone());
  CHECK_FALSE(agenda.end(32.9));
  REQUIRE(agenda.end(33));
  CHECK(agenda.end(33)->outcome == Outcome::finished);
  CHECK(agenda.end(33)->reason == "all workers have left");
  agenda.hear(status_of(6, {0}), 32.5);
  CHECK_FALSE(agenda.end(33));
}

TEST_CASE("workers that come and go between two looks have left, too", "[agenda][T22]") {
  const auto trained = GENERATE(true, false); // or left without a push
  Agenda agenda;
  agenda.hear(status_of(0, {}), 0);
  auto status = status_of(trained ? 3 : 0, {0});
  status.workers.clear();
  agenda.hear(status, 1);
  CHECK(agenda.workers_gone());
  CHECK_FALSE(agenda.end(3.9));
  CHECK(agenda.end(4));
}

TEST_CASE("workers that were lost, or were there before the holder, are waited for longer",
          "[agenda]") {
  Agenda lost;
  lost.hear(status_of(5, {0}), 0);
  lost.hear(status_of(5, {}, {0}), 10);
  CHECK_FALSE(lost.workers_gone());
  CHECK_FALSE(lost.end(69.9));
  CHECK(lost.end(70));
  Agenda restored;
  auto status = status_of(5, {0});
  status.workers.clear();
  restored.hear(status, 10);
  CHECK_FALSE(restored.end(69.9));
  REQUIRE(restored.end(70));
  CHECK(restored.end(70)->reason.find("no worker has come back") == 0);
}

TEST_CASE("workers that are to begin when others have ended are waited for", "[agenda][T22]") {
  Agenda agenda;
  agenda.hear(status_of(5, {0}), 0);
  auto between = status_of(5, {});
  between.absent = 2;
  agenda.hear(between, 10);
  CHECK_FALSE(agenda.workers_gone());
  CHECK_FALSE(agenda.end(14));
  agenda.hear(status_of(6, {1}), 15);
  agenda.hear(status_of(7, {}), 20); // all have come, and left
  CHECK_FALSE(agenda.end(22.9));
  CHECK(agenda.end(23));
}

TEST_CASE("without a new version it is over after the idle limit", "[agenda][T23]") {
  Agenda agenda{{.idle_limit = 30}};
  agenda.hear(status_of(0, {0}), 0);
  CHECK_FALSE(agenda.end(29.9));
  CHECK(agenda.end(30));
  agenda.hear(status_of(1, {0}), 20);
  CHECK_FALSE(agenda.end(49.9));
  agenda.take(1);
  agenda.rest(40); // measuring took its time
  CHECK_FALSE(agenda.end(69.9));
  REQUIRE(agenda.end(70));
  CHECK(agenda.end(70)->reason.find("no new version for 30") == 0);
}

TEST_CASE("to hear of the same version again does not put off the idle limit", "[agenda][T23]") {
  Agenda agenda{{.idle_limit = 30}};
  agenda.hear(status_of(1, {0}), 0);
  agenda.hear(status_of(1, {0}), 20);
  CHECK(agenda.end(30));
}

TEST_CASE("while the holder is out of reach nobody knows that the workers have left", "[agenda]") {
  Agenda agenda;
  agenda.hear(status_of(5, {0}), 0);
  agenda.hear(status_of(6, {}), 10);
  agenda.miss("nobody is there", 11);
  CHECK_FALSE(agenda.end(20));
  agenda.hear(status_of(6, {}), 20);
  CHECK_FALSE(agenda.end(22.9));
  CHECK(agenda.end(23));
}

TEST_CASE("a holder that stays away ends it, and one that comes back does not", "[agenda]") {
  Agenda agenda;
  agenda.hear(status_of(1, {0}), 0);
  agenda.miss("nobody is there", 10);
  agenda.miss("nobody is there", 60);
  CHECK_FALSE(agenda.end(69.9));
  REQUIRE(agenda.end(70));
  CHECK(agenda.end(70)->outcome == Outcome::failed);
  CHECK(agenda.end(70)->unavailable);
  CHECK(agenda.end(70)->reason.find("nobody is there") != std::string::npos);
  agenda.hear(status_of(1, {0}), 69);
  CHECK_FALSE(agenda.end(1e6));
}
