#include "tests/support/program.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <vector>

using namespace troupe::test;
using Catch::Contains;

namespace {

void write_table(const WorkFolder& work, const std::string& name, const std::string& text) {
  std::ofstream(work.path() / name) << text;
}

/// Trains on the table that is in line.csv.
void train_on_table(const WorkFolder& work, const std::string& options = "") {
  const auto trained
    = troupe_program(work.path(), "train -q training.epochs=100 training.seed=1 problem.name=csv "
                                  "problem.path=line.csv model.name=linear "
                                  "optimizer.learning_rate=0.05 "
                                    + options);
  INFO(trained.error);
  REQUIRE(trained.code == 0);
}

/// Trains on a table of `x` in 0 .. 99 and of `y(x)`.
template <class Target>
void train_on_line(const WorkFolder& work, const Target& y) {
  std::ostringstream text;
  text << "x,constant,y\n";
  for (int x = 0; x < 100; ++x)
    text << x << ",7," << y(x) << "\n";
  write_table(work, "line.csv", text.str());
  train_on_table(work);
}

/// Trains with the loss on a table of x in 0 .. 1 and of `y(x)`, not standardized.
template <class Target>
void train_with(const WorkFolder& work, const std::string& loss, const Target& y) {
  std::ostringstream text;
  text << "x,y\n";
  for (int i = 0; i < 100; ++i)
    text << i / 100.0 << "," << y(i / 100.0) << "\n";
  write_table(work, "line.csv", text.str());
  train_on_table(work, "problem.task=regression problem.standardize=false model.loss=" + loss);
}

Ran predicted(const WorkFolder& work, const std::string& input,
              const std::string& output = "out.csv") {
  return troupe_program(work.path(), "predict latest -i " + input + " -o " + output);
}

std::vector<std::string> lines_of(const WorkFolder& work) {
  std::istringstream text{contents(work.path() / "out.csv")};
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);)
    lines.push_back(line);
  return lines;
}

} // namespace

TEST_CASE("a table's rows are predicted as classes and their probabilities", "[predict][fit]") {
  WorkFolder work;
  train_on_line(work, [](int x) { return x < 50 ? "low" : "high"; });
  write_table(work, "new.csv",
              "constant,more,x\n7,?,95\n7,?,3\n"); // columns in another order, and without y
  const auto ran = predicted(work, "new.csv");
  INFO(ran.error);
  REQUIRE(ran.code == 0);
  const auto lines = lines_of(work);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0] == "y,high,low");
  CHECK_THAT(lines[1], Catch::StartsWith("high,0.9"));
  CHECK_THAT(lines[2], Catch::StartsWith("low,"));
  double high = 0, low = 0;
  REQUIRE(std::sscanf(lines[1].c_str(), "high,%lf,%lf", &high, &low) == 2);
  CHECK(high + low == Approx(1));
  // Without the table of the training, and under another name.
  std::filesystem::remove(work.path() / "line.csv");
  write_table(work, "new.txt", "constant,more,x\n7,?,95\n7,?,3\n");
  CHECK(predicted(work, "new.txt").code == 0);
  CHECK(lines_of(work) == lines);
}

TEST_CASE("a table of several batches is predicted row by row", "[predict][fit]") {
  WorkFolder work;
  train_on_line(work, [](int x) { return x < 50 ? "low" : "high"; });
  std::string table = "x,constant\n";
  for (int row = 0; row < 600; ++row)
    table += row % 3 == 0 ? "95,7\n" : "3,7\n";
  write_table(work, "new.csv", table);
  REQUIRE(predicted(work, "new.csv").code == 0);
  const auto lines = lines_of(work);
  REQUIRE(lines.size() == 601);
  CHECK(lines[0] == "y,high,low");
  for (std::size_t row = 0; row < 600; ++row)
    CHECK(lines[row + 1].starts_with(row % 3 == 0 ? "high," : "low,"));
}

TEST_CASE("a table's rows are predicted in the target's own unit", "[predict][fit]") {
  WorkFolder work;
  train_on_line(work, [](int x) { return 1000.5 + 3 * x; });
  write_table(work, "new.csv", "x,constant\n10,7\n");
  REQUIRE(predicted(work, "new.csv").code == 0);
  const auto lines = lines_of(work);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0] == "y");
  CHECK(std::stod(lines[1]) == Approx(1030.5).margin(3));
}

TEST_CASE("a target is predicted in its own unit where the loss takes its logarithm or log odds",
          "[predict][fit]") {
  WorkFolder work;
  write_table(work, "new.csv", "x\n0.25\n0.75\n");
  const auto of = [&](const std::string& loss, auto y) {
    train_with(work, loss, y);
    REQUIRE(predicted(work, "new.csv").code == 0);
    const auto lines = lines_of(work);
    REQUIRE(lines.size() == 3);
    return std::pair{std::stod(lines[1]), std::stod(lines[2])};
  };
  const auto rate = [](double x) { return std::exp(1 + x); };
  const auto share = [](double x) { return 1 / (1 + std::exp(1 - 3 * x)); };
  const auto side = [](double x) { return x < 0.5 ? -1 : 1; };
  const auto rates = of("poisson", rate), shares = of("binary_cross_entropy", share),
             sides = of("soft_margin", side);
  CHECK(rates.first == Approx(rate(0.25)).margin(0.1));
  CHECK(rates.second == Approx(rate(0.75)).margin(0.1));
  CHECK(shares.first == Approx(share(0.25)).margin(0.02));
  CHECK(shares.second == Approx(share(0.75)).margin(0.02));
  CHECK((-1 < sides.first && sides.first < -0.3));
  CHECK((0.3 < sides.second && sides.second < 1));
}

TEST_CASE("a table that does not fit the model is refused with the cure", "[predict][fit]") {
  WorkFolder work;
  train_on_line(work, [](int x) { return x < 50 ? "low" : "high"; });
  write_table(work, "holes.csv", "x,constant\n1,7\n,7\n");
  write_table(work, "other.csv", "z,constant\n1,7\n");
  const auto holes = predicted(work, "holes.csv");
  CHECK(holes.code == 65);
  CHECK_THAT(holes.error, Contains("line 3, column 1 (x): found no value"));
  CHECK_THAT(predicted(work, "other.csv").error, Contains("no column \"x\""));
  CHECK(predicted(work, "line.csv", "out.npy").code == 2);
  CHECK_THAT(predicted(work, "x.npy", "out.csv").error, Contains("ends in .npy"));
  CHECK_FALSE(std::filesystem::exists(work.path() / "out.csv"));
  std::filesystem::remove(work.path() / "runs/latest/problem.json");
  const auto older = predicted(work, "line.csv");
  CHECK(older.code == 78);
  CHECK_THAT(older.error, Contains("keeps no problem.json") && Contains("x.npy"));
}
