#include "apps/process/exit_code_list.hpp"
#include "base/text/wrapped_text.hpp"
#include "tests/support/program.hpp"

#include <catch2/catch.hpp>

#include <sstream>

using namespace troupe;
using namespace troupe::test;

TEST_CASE("docs/reference/errors.md has the exit codes of the program, with their meanings",
          "[exit codes]") {
  std::istringstream page{
    contents(std::string{TROUPE_FIXTURES} + "/../../docs/reference/errors.md")};
  std::string rows, expected;
  for (std::string line; std::getline(page, line);)
    if (line.starts_with("| ") && line.size() > 2 && line[2] >= '0' && line[2] <= '9')
      rows += line.substr(0, line.find(" |", line.find(" | ") + 3)) + "\n";
  for (const auto& [code, meaning] : exit_code_list())
    expected += "| " + std::to_string(static_cast<int>(code)) + " | " + meaning + "\n";
  CHECK(rows == expected);
}

TEST_CASE("every help ends with the one list of exit codes, in lines of 80 columns",
          "[exit codes]") {
  const WorkFolder work;
  for (const auto* command : {"", "ctl ", "grid ", "test ", "train "}) {
    const auto help = troupe_program(work.path(), std::string{command} + "--help").out;
    CHECK_THAT(help, Catch::Contains(exit_code_text()));
    CHECK(help.find("Exit codes") == help.rfind("Exit codes"));
  }
  std::istringstream lines{exit_code_text()};
  for (std::string line; std::getline(lines, line);)
    CHECK(columns_of(line) <= 80);
}
