#include "apps/process/child_process.hpp"

#include <catch2/catch.hpp>
#include <unistd.h>

using namespace troupe;

TEST_CASE("an ended process yields its last line, and no empty one after it", "[M48]") {
  ChildProcess child{"tests", {"--libidentify"}};
  while (!child.reap())
    usleep(1000);
  const auto lines = child.read_lines(); // the end of its output comes together with its lines
  CHECK(child.output() == -1);
  REQUIRE_FALSE(lines.empty());
  CHECK(lines.back() != "\n");
}
