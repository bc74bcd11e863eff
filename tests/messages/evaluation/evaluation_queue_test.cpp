#include "messages/evaluation/evaluation_queue.hpp"

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

struct StartedQueue : EvaluationQueue {
  explicit StartedQueue(QueueOptions options = {}) : EvaluationQueue(options) { begin(0); }
};

} // namespace

TEST_CASE("versions between two measurements are counted as skipped", "[evaluation_queue][T22]") {
  StartedQueue queue;
  queue.update(status_of(0, {0}), 0);
  CHECK(queue.take(1) == 0);
  CHECK(queue.take(4) == 2);
  CHECK(queue.take(5) == 0);
  CHECK(queue.last() == 5);
}

TEST_CASE("versions from before the evaluator started do not count as skipped",
          "[evaluation_queue][T22]") {
  StartedQueue queue;
  queue.update(status_of(100, {0}), 0);
  CHECK(queue.take(100) == 0);
  StartedQueue later;
  later.update(status_of(100, {0}), 0);
  CHECK(later.take(103) == 2);
}

TEST_CASE("a version that is measured late does not hide a newer one", "[evaluation_queue][T22]") {
  StartedQueue queue;
  queue.update(status_of(5, {0}), 0);
  queue.take(4);
  CHECK(queue.unmeasured());
}

TEST_CASE("only every n-th version is measured if that is configured", "[evaluation_queue][T22]") {
  StartedQueue queue{{.every = 10}};
  queue.update(status_of(0, {0}), 0);
  CHECK_FALSE(queue.due());
  queue.update(status_of(3, {0}), 1);
  CHECK(queue.due());
  queue.take(3);
  queue.update(status_of(12, {0}), 2);
  CHECK_FALSE(queue.due());
  CHECK(queue.unmeasured());
  queue.update(status_of(13, {0}), 3);
  CHECK(queue.due());
}

TEST_CASE("evaluation ends when the workers have left and not come back for a moment",
          "[evaluation_queue][T22]") {
  StartedQueue queue;
  queue.update(status_of(0, {}), 0);
  CHECK_FALSE(queue.end(1e6)); // no worker has joined yet: they may come
  queue.update(status_of(5, {0, 1}), 10);
  queue.update(status_of(5, {1}), 20);
  CHECK_FALSE(queue.end(1e6));
  queue.update(status_of(6, {}), 30);
  CHECK(queue.workers_gone());
  CHECK_FALSE(queue.end(32.9));
  REQUIRE(queue.end(33));
  CHECK(queue.end(33)->outcome == Outcome::finished);
  CHECK(queue.end(33)->reason == "all workers have left");
  queue.update(status_of(6, {0}), 32.5);
  CHECK_FALSE(queue.end(33));
}

TEST_CASE("workers that come and go between two polls count as gone", "[evaluation_queue][T22]") {
  const auto trained = GENERATE(true, false); // or left without a push
  StartedQueue queue;
  queue.update(status_of(0, {}), 0);
  auto status = status_of(trained ? 3 : 0, {0});
  status.workers.clear();
  queue.update(status, 1);
  CHECK(queue.workers_gone());
  CHECK_FALSE(queue.end(3.9));
  CHECK(queue.end(4));
}

TEST_CASE("workers that were lost, or trained before the holder's restart, are waited for longer",
          "[evaluation_queue]") {
  StartedQueue lost;
  lost.update(status_of(5, {0}), 0);
  lost.update(status_of(5, {}, {0}), 10);
  CHECK_FALSE(lost.workers_gone());
  CHECK_FALSE(lost.end(69.9));
  CHECK(lost.end(70));
  StartedQueue restored;
  auto status = status_of(5, {0});
  status.workers.clear();
  restored.update(status, 10);
  CHECK_FALSE(restored.end(69.9));
  REQUIRE(restored.end(70));
  CHECK(restored.end(70)->reason.find("no worker has come back") == 0);
}

TEST_CASE("workers that start when others have ended are waited for", "[evaluation_queue][T22]") {
  StartedQueue queue;
  queue.update(status_of(5, {0}), 0);
  auto between = status_of(5, {});
  between.absent = 2;
  queue.update(between, 10);
  CHECK_FALSE(queue.workers_gone());
  CHECK_FALSE(queue.end(14));
  queue.update(status_of(6, {1}), 15);
  queue.update(status_of(7, {}), 20); // all have come, and left
  CHECK_FALSE(queue.end(22.9));
  CHECK(queue.end(23));
}

TEST_CASE("without a new version evaluation ends after the idle limit", "[evaluation_queue][T23]") {
  StartedQueue queue{{.idle_limit = 30}};
  queue.update(status_of(0, {0}), 0);
  CHECK_FALSE(queue.end(29.9));
  CHECK(queue.end(30));
  queue.update(status_of(1, {0}), 20);
  CHECK_FALSE(queue.end(49.9));
  queue.take(1);
  queue.measured(40); // measuring took some time
  CHECK_FALSE(queue.end(69.9));
  REQUIRE(queue.end(70));
  CHECK(queue.end(70)->reason.find("no new version for 30") == 0);
}

TEST_CASE("the same version again does not postpone the idle limit", "[evaluation_queue][T23]") {
  StartedQueue queue{{.idle_limit = 30}};
  queue.update(status_of(1, {0}), 0);
  queue.update(status_of(1, {0}), 20);
  CHECK(queue.end(30));
}

TEST_CASE("while the holder is unreachable it is unknown whether the workers have left",
          "[evaluation_queue]") {
  StartedQueue queue;
  queue.update(status_of(5, {0}), 0);
  queue.update(status_of(6, {}), 10);
  queue.unanswered("connection refused", 11);
  CHECK_FALSE(queue.end(20));
  queue.update(status_of(6, {}), 20);
  CHECK_FALSE(queue.end(22.9));
  CHECK(queue.end(23));
}

TEST_CASE("a holder that stays unreachable ends evaluation, and one that comes back does not",
          "[evaluation_queue]") {
  StartedQueue queue;
  queue.update(status_of(1, {0}), 0);
  queue.unanswered("connection refused", 10);
  queue.unanswered("connection refused", 60);
  CHECK_FALSE(queue.end(69.9));
  REQUIRE(queue.end(70));
  CHECK(queue.end(70)->outcome == Outcome::failed);
  CHECK(queue.end(70)->unavailable);
  CHECK(queue.end(70)->reason.find("connection refused") != std::string::npos);
  queue.update(status_of(1, {0}), 69);
  CHECK_FALSE(queue.end(1e6));
}
