#include "apps/process/short_command.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using namespace std::chrono_literals;

TEST_CASE("a command's output is read without trailing whitespace", "[short_command]") {
  CHECK(output_within({"sh", "-c", "printf 'a b\\nc\\n \\n'"}, 60s) == "a b\nc");
}

TEST_CASE("a command that is missing or fails has no output", "[short_command]") {
  CHECK(output_within({"no-such-command"}, 60s) == "");
  CHECK(output_within({"sh", "-c", "echo half an answer; exit 1"}, 60s) == "");
}

TEST_CASE("a command that does not answer is abandoned", "[short_command]") {
  CHECK(!output_within({"sleep", "600"}, 20ms));
  CHECK(!output_within({"sh", "-c", "exec >&-; sleep 600"}, 200ms));
}
