#include "messages/timing/spent_time.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

namespace {

SpentTime some_spent_time() {
  SpentTime spent;
  spent.seconds = 20;
  spent.reading = 1;
  spent.gradient = 8;
  spent.update = 2;
  spent.held = 3;
  spent.batches = 100;
  spent.gates["sync"] = {4, {{holder_part, 0.5}, {part_of_worker(3), 2.5}}};
  spent.gates["stream_monitoring"] = {1.5, {}};
  spent.lost["samples"] = 7;
  spent.use = {30, 5, 4};
  return spent;
}

} // namespace

TEST_CASE("times come back from a status as they were written", "[spent_time]") {
  auto status = records_of(some_spent_time());
  status["batches_done"] = Value{std::int64_t{100}};
  const auto read = spent_time_in(status);
  REQUIRE(read);
  CHECK(records_of(*read) == records_of(some_spent_time()));
  CHECK(read->gates.at("sync").parts.at("worker 3") == 2.5);
  CHECK(read->lost.at("samples") == 7);
}

TEST_CASE("a status without times gives none", "[spent_time]") {
  CHECK_FALSE(spent_time_in({{"batches_done", Value{std::int64_t{100}}}}));
}

TEST_CASE("what is neither computed nor waited for lies between batches", "[spent_time]") {
  CHECK(some_spent_time().between() == 0.5);
  auto spent = some_spent_time();
  spent.seconds = 1; // clocks that disagree
  CHECK(spent.between() == 0);
}

TEST_CASE("a part of a sync names the worker that was waited for", "[spent_time]") {
  CHECK(worker_of_part(part_of_worker(12)) == 12u);
  CHECK_FALSE(worker_of_part(holder_part));
  CHECK_FALSE(worker_of_part("worker bee"));
}
