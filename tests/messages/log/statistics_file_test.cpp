#include "base/failure.hpp"
#include "messages/log/statistics_file.hpp"
#include "tests/support/program.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace troupe;
using namespace troupe::test;

namespace {

StatisticsRow loss_at(Step episode, double loss) {
  return {{"loss", loss, NumberFormat{"{:12.3f}"}},
          {"episode", static_cast<double>(episode), NumberFormat{"{:03d}"}}};
}

const std::vector<std::string> loss_columns{"loss", "episode"};

} // namespace

TEST_CASE("a statistics file has column names first, and each row at once", "[M33]") {
  const WorkFolder work;
  const auto path = work.path() / "s.csv";
  StatisticsFile file{path, loss_columns};
  file.begin();
  CHECK(contents(path) == "loss,episode\n");
  file.write(loss_at(1, 0.5));
  CHECK(contents(path) == "loss,episode\n0.500,001\n");
  file.write(loss_at(2, std::nan("")));
  CHECK(contents(path) == "loss,episode\n0.500,001\nnan,002\n");
}

TEST_CASE("a row of the newest episode replaces it, and keeps its other columns", "[M33]") {
  const WorkFolder work;
  const auto path = work.path() / "s.csv";
  StatisticsFile file{path, loss_columns};
  file.begin();
  file.write(loss_at(1, 0.5));
  file.write(loss_at(2, 0.25));
  file.write(loss_at(2, 0.125));
  file.write({{"episode", 2, NumberFormat{"{:03d}"}}});
  CHECK(contents(path) == "loss,episode\n0.500,001\n0.125,002\n");
}

TEST_CASE("a new statistic adds a column, empty in the rows before", "[M33]") {
  const WorkFolder work;
  const auto path = work.path() / "s.csv";
  StatisticsFile file{path, loss_columns};
  file.begin();
  file.write(loss_at(1, 0.5));
  auto row = loss_at(2, 0.25);
  row.push_back({"of \"a\", b", 1.5});
  file.write(row);
  file.write(loss_at(3, 0.125));
  CHECK(contents(path)
        == "loss,episode,\"of \"\"a\"\", b\"\n0.500,001,\n0.250,002,1.5\n0.125,003,\n");
}

TEST_CASE("a resumed run's file has each row exactly once", "[M33]") {
  const WorkFolder work;
  const auto path = work.path() / "s.csv";
  {
    StatisticsFile file{path, loss_columns};
    file.begin();
    for (Step episode : {1, 2, 3})
      file.write(loss_at(episode, 0.5));
  }
  std::ofstream{path, std::ios::app} << "0.5"; // killed within a line
  StatisticsFile file{path, loss_columns};
  file.resume(3);
  CHECK(contents(path) == "loss,episode\n0.500,001\n0.500,002\n");
  file.write(loss_at(2, 0.25)); // the checkpoint's batch is written again
  file.write(loss_at(3, 0.125));
  CHECK(contents(path) == "loss,episode\n0.500,001\n0.250,002\n0.125,003\n");
}

TEST_CASE("a missing file is continued as a new one", "[M33]") {
  const WorkFolder work;
  const auto path = work.path() / "s.csv";
  StatisticsFile file{path, loss_columns};
  file.resume(7);
  file.write(loss_at(8, 0.5));
  CHECK(contents(path) == "loss,episode\n0.500,008\n");
}

TEST_CASE("a disk that refuses a row of statistics is reported with its reason", "[M33]") {
  const WorkFolder work;
  StatisticsFile file{work.path() / "none" / "s.csv", loss_columns};
  CHECK_THROWS_WITH(file.begin(), Catch::Contains("No such file"));
}
