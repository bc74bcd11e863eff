#include "apps/dashboard/event_hub.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using namespace std::chrono_literals;

TEST_CASE("each page gets the events of the table, and rows of the runs it watches",
          "[dashboard]") {
  EventHub hub;
  const auto one = hub.subscribe({"a"});
  const auto other = hub.subscribe({"b"});
  hub.publish(event_text("runs", "{}"));
  hub.publish_rows("a", event_text("rows", "{}"));
  CHECK(one->take(0ms).size() == 2);
  CHECK(other->take(0ms).size() == 1);
  CHECK(hub.watched() == std::set<std::string>{"a", "b"});
}

TEST_CASE("a page that does not read is dropped, and others are served on", "[dashboard]") {
  EventHub hub;
  const auto idle = hub.subscribe({});
  const auto reading = hub.subscribe({});
  for (std::size_t i = 0; i < 2 * EventQueue::most_events; ++i) {
    hub.publish(event_text("runs", "{}"));
    REQUIRE(reading->take(0ms).size() == 1);
  }
  CHECK(idle->closed());
  CHECK(idle->take(0ms).empty());
  CHECK_FALSE(reading->closed());
  CHECK(hub.dropped() == 1);
  CHECK(hub.pages() == 1);
}

TEST_CASE("large events fill a queue before many do", "[dashboard]") {
  EventQueue queue;
  const auto large = event_text("runs", std::string(EventQueue::most_bytes / 2, 'x'));
  CHECK(queue.push(large));
  CHECK_FALSE(queue.push(large));
  CHECK(queue.closed());
}

TEST_CASE("a page too many is refused until another one is gone", "[dashboard]") {
  EventHub hub;
  std::vector<std::shared_ptr<EventQueue>> pages;
  for (std::size_t i = 0; i < EventHub::most_pages; ++i)
    pages.push_back(hub.subscribe({}));
  CHECK(hub.subscribe({}) == nullptr);
  // cure: many pages follow the dashboard; close some
  pages.front()->close();
  CHECK(hub.subscribe({}) != nullptr);
}
