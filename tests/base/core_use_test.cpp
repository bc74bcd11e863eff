#include "base/core_use.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

TEST_CASE("a thread's schedstat says how long it waited for a core", "[core_use]") {
  CHECK(core_wait_in("84796 1500000000 2\n") == Approx(1.5));
  CHECK(core_wait_in("") == 0);
  CHECK(core_wait_in("none") == 0);
}

TEST_CASE("the time that this process has had grows with its work", "[core_use]") {
  const auto before = core_use();
  volatile double sum = 0;
  while (core_use().worked == before.worked)
    sum = sum + 1;
  CHECK(core_use().worked > before.worked);
  CHECK(before.cores >= 1);
}
