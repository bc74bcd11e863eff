#include "messages/loop/batch_feed.hpp"
#include "tests/support/toy_problem.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using namespace troupe::test;

namespace {

struct Feeding {
  std::shared_ptr<ToyProblem> problem = std::make_shared<ToyProblem>(30);
  std::shared_ptr<Learner> learner = toy_learner(problem);
};

} // namespace

TEST_CASE("without a loader the learner reads its batches itself", "[batch_feed]") {
  Feeding toy;
  BatchFeed feed;
  CHECK_FALSE(feed.has_loader());
  feed.begin(0);
  CHECK(feed.feed(*toy.learner, 0));
  CHECK(toy.problem->asked().size() == 10);
  CHECK_FALSE(feed.waits());
}

TEST_CASE("with a loader training waits until the batch arrives", "[batch_feed]") {
  Feeding toy;
  BatchReader loader{toy.problem, toy.learner->order()};
  BatchFeed feed{1};
  CHECK(feed.has_loader());
  feed.begin(0);
  auto batch = feed.order(0);
  REQUIRE(batch);
  CHECK_FALSE(feed.order(0)); // it may prepare no more
  CHECK_FALSE(feed.feed(*toy.learner, 0));
  CHECK(feed.waits());
  loader.read(batch->cursor, *batch);
  feed.arrived(std::move(*batch));
  CHECK(feed.feed(*toy.learner, 0));
  CHECK_FALSE(feed.waits());
  CHECK(feed.order(1)); // reuses the memory of the last one
}

TEST_CASE("a batch that the loader has lost can be ordered again", "[batch_feed]") {
  BatchFeed feed{1};
  REQUIRE(feed.order(0));
  feed.lost();
  CHECK(feed.order(0));
}

TEST_CASE("people are told once, after 2 s, that training waits for its loader", "[batch_feed]") {
  Feeding toy;
  BatchFeed feed{1};
  feed.begin(10);
  CHECK_FALSE(feed.is_report_due(100)); // does not wait yet
  CHECK_FALSE(feed.feed(*toy.learner, 0));
  CHECK_FALSE(feed.is_report_due(11.9));
  CHECK(feed.is_report_due(12));
  CHECK_FALSE(feed.feed(*toy.learner, 0));
  CHECK_FALSE(feed.is_report_due(20));
  CHECK(feed.waits());
  feed.begin(30); // the next batch
  CHECK_FALSE(feed.feed(*toy.learner, 1));
  CHECK(feed.is_report_due(32));
  feed.stop_waiting();
  CHECK_FALSE(feed.waits());
}
