#include "extensions/support/serial_queue.hpp"

#include <catch2/catch.hpp>

#include <limits>
#include <random>
#include <vector>

using namespace troupe;

TEST_CASE("jobs start in order, one at a time", "[in_turn][B30]") {
  std::mt19937 random{9};
  SerialQueue queue;
  std::vector<int> begun;
  auto in_flight = 0, added = 0;
  for (int i = 0; i < 2000; ++i) {
    if (random() % 2 == 0) {
      const auto at_once = random() % 3 == 0;
      queue.add([&, number = added++, at_once] {
        begun.push_back(number);
        CHECK(++in_flight == 1);
        if (at_once) {
          --in_flight;
          queue.done();
        }
      });
    } else if (in_flight == 1) {
      --in_flight;
      queue.done();
    }
    if (in_flight == 0)
      CHECK(begun.size() == static_cast<std::size_t>(added));
  }
  for (std::size_t i = 0; i < begun.size(); ++i)
    CHECK(begun[i] == static_cast<int>(i));
}

TEST_CASE("a job that adds another one is done before that starts", "[in_turn][B30]") {
  SerialQueue queue;
  std::vector<std::string> trace;
  queue.add([&] {
    queue.add([&] { trace.push_back("second"); });
    trace.push_back("first");
    queue.done();
  });
  CHECK(trace == std::vector<std::string>{"first", "second"});
}

TEST_CASE("many jobs that are done at once do not recurse", "[in_turn][B30]") {
  SerialQueue queue;
  auto done = 0;
  queue.add([] {});
  for (int i = 0; i < 200'000; ++i)
    queue.add([&] {
      ++done;
      queue.done();
    });
  queue.done();
  CHECK(done == 200'000);
}

TEST_CASE("a deadline is any time above 0", "[in_turn][B30]") {
  using namespace std::chrono_literals;
  CHECK(request_deadline("x", 1.5) == 1500ms);
  CHECK(request_deadline("x", std::numeric_limits<double>::infinity()) > 24h);
  CHECK_THROWS_WITH(request_deadline("x", 0), Catch::Contains("the deadline of x"));
  // cure: s; give a time above 0
  CHECK(request_deadline("x", 1e-3) == 1ms);
  CHECK_THROWS(request_deadline("x", std::numeric_limits<double>::quiet_NaN()));
}
