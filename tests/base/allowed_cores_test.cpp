#include "base/allowed_cores.hpp"

#include <catch2/catch.hpp>
#include <sched.h>

#include <thread>

using namespace troupe;

TEST_CASE("a thread that is bound to one core may use that one only", "[allowed_cores]") {
  const auto all = allowed_cores();
  REQUIRE_FALSE(all.empty());
  CHECK(count_allowed_cores() == all.size());
  auto bound = false;
  std::vector<int> left;
  std::thread{[&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(all.back(), &one);
    bound = sched_setaffinity(0, sizeof one, &one) == 0;
    left = allowed_cores();
  }}.join();
  REQUIRE(bound);
  CHECK(left == std::vector<int>{all.back()});
  CHECK(allowed_cores() == all);
}
