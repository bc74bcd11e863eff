#include "apps/process/child_process.hpp"

#include <catch2/catch.hpp>
#include <unistd.h>

using namespace troupe;

TEST_CASE("the last line of a process that has ended is what it said, and no empty one", "[M48]") {
  ChildProcess child{"tests", {"--libidentify"}};
  while (!child.reap())
    usleep(1000);
  const auto lines = child.read_lines(); // the end of its output comes together with its lines
  CHECK(child.output() == -1);
  REQUIRE_FALSE(lines.empty());
  CHECK(lines.back() != "\n");
}
