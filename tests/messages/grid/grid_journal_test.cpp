#include "base/failure.hpp"
#include "messages/grid/grid_journal.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/full_disk.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <fstream>
#include <limits>

using namespace troupe;

namespace {

TrialEnded some_end(RunNumber run) {
  TrialEnded ended;
  ended.run = run;
  ended.attempt = 2;
  ended.rung = 1;
  ended.outcome = TrialOutcome::failed;
  ended.reason = "a \"reason\"\nof two lines";
  ended.score = 0.1 + static_cast<double>(run);
  ended.seconds = 2.5;
  ended.time = "2026-11-21T03:00:00.000Z";
  ended.node = run == 2 ? "n2-1" : "";
  return ended;
}

const GridIdentity some_grid{"0123456789abcdef", 17, "2026-11-21T03:00:00.000Z"};

} // namespace

TEST_CASE("a journal is read as it was written", "[M49]") {
  const auto journal = parse_journal(journal_line(some_grid) + journal_line(some_end(1))
                                     + journal_line(some_end(2)));
  CHECK(journal.identity == some_grid);
  REQUIRE(journal.ended.size() == 2);
  CHECK(journal.ended[1] == some_end(2));
  CHECK(journal.damaged == 0);
}

TEST_CASE("infinite and NaN scores are restored", "[M49]") {
  auto ended = some_end(1);
  ended.score = std::numeric_limits<double>::quiet_NaN();
  CHECK(std::isnan(parse_journal(journal_line(ended)).ended.at(0).score));
  for (const auto sign : {1, -1}) {
    ended.score = sign * std::numeric_limits<double>::infinity();
    CHECK(parse_journal(journal_line(ended)).ended.at(0).score == ended.score);
  }
}

TEST_CASE("a truncated journal has its complete lines", "[M49]") {
  const auto first = journal_line(some_grid);
  const auto whole = first + journal_line(some_end(1));
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    const auto journal = parse_journal(std::string_view{whole}.substr(0, size));
    CHECK(journal.identity.has_value() == (size >= first.size()));
    CHECK(journal.ended.size() == (size == whole.size() ? 1 : 0));
    CHECK(journal.damaged == 0);
  }
}

TEST_CASE("a line with a wrong character is ignored", "[M49]") {
  const auto line = journal_line(some_end(3));
  for (std::size_t at = 0; at + 1 < line.size(); ++at) {
    auto wrong = line;
    wrong[at] = wrong[at] == '7' ? '8' : '7';
    const auto journal = parse_journal(wrong + line);
    INFO(wrong);
    CHECK(journal.ended.size() == 1);
    CHECK(journal.damaged == 1);
  }
}

TEST_CASE("a journal continues after its last complete line", "[M49]") {
  const test::DataFolder folder;
  const auto path = folder.path("journal");
  std::ofstream(path) << journal_line(some_grid) << "0123 {\"run\":";
  {
    JournalFile journal{path, JournalSync::always};
    CHECK(journal.previous().identity == some_grid);
    journal.append(journal_line(some_end(4)));
  }
  const auto journal = read_journal(path);
  CHECK(journal.damaged == 0);
  REQUIRE(journal.ended.size() == 1);
  CHECK(journal.ended[0] == some_end(4));
}

TEST_CASE("a damaged last line is kept and reported", "[M49]") {
  const auto line = journal_line(some_end(1));
  const auto journal = parse_journal(line + "0123 {}\n");
  CHECK(journal.damaged == 1);
  CHECK(journal.whole_bytes == line.size() + 8);
}

TEST_CASE("a journal that another process has open is refused", "[M49]") {
  const test::DataFolder folder;
  JournalFile journal{folder.path("journal"), JournalSync::never};
  CHECK_THROWS_AS(JournalFile(folder.path("journal"), JournalSync::never), IoError);
}

TEST_CASE("a result that a full disk kept in part does not damage later ones", "[M49]") {
  const test::DataFolder folder;
  const auto path = folder.path("journal");
  {
    JournalFile journal{path, JournalSync::never};
    journal.append(journal_line(some_grid));
    {
      const test::FullDisk full{std::filesystem::file_size(path) + 40};
      CHECK_THROWS_AS(journal.append(journal_line(some_end(4))), IoError);
    }
    journal.append(journal_line(some_end(5)));
  }
  const auto journal = read_journal(path);
  CHECK(journal.damaged == 0);
  REQUIRE(journal.ended.size() == 1);
  CHECK(journal.ended[0] == some_end(5));
}
