#include "apps/dashboard/page/saved_page.hpp"
#include "apps/grid/report_json.hpp"
#include "tests/support/run_yaml.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

using namespace troupe;

namespace {

/// Two configurations with two repetitions each; the second is the better one.
GridReport some_report() {
  GridReport report;
  report.name = "tiny";
  report.by = "validation_loss";
  const double losses[] = {0.5, 0.25, 0.7, 0.35};
  for (std::size_t i = 0; i < 4; ++i) {
    auto& run = report.runs.emplace_back();
    run.run = i + 1;
    run.trial = i % 2 + 1;
    run.repetition = static_cast<std::uint32_t>(i / 2 + 1);
    run.folder = "grids/tiny/run-" + std::to_string(i + 1);
    run.configuration = run.folder + "/config.yaml";
    run.outcome = "done";
    run.score = losses[i];
    run.scores = {{0, 1}, {1, losses[i]}};
    run.validation = {{"validation_loss", losses[i]}};
  }
  return report;
}

const GridDimensions two_rates{{"optimizer.learning_rate"}, {{"0.1"}, {"0.01"}}};

std::size_t count_of(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    ++count;
  return count;
}

/// The data in a page, as its script reads them.
nlohmann::json data_in(const std::string& page) {
  const std::string begin = "<script type=\"application/json\" id=\"saved\">";
  const auto at = page.find(begin);
  return at == std::string::npos
           ? nlohmann::json{}
           : nlohmann::json::parse(
             page.substr(at + begin.size(), page.find("</script>", at) - at - begin.size()));
}

std::size_t runs_in(const nlohmann::json& report) {
  std::size_t count = 0;
  for (const auto& trial : report["trials"])
    count += trial["runs"].size();
  return count;
}

} // namespace

TEST_CASE("a report has a curve for each run, and needs no other file", "[M51]") {
  const auto page = report_page(ranked(some_report(), two_rates));
  CHECK(count_of(page, " src=") + count_of(page, " href=\"http") + count_of(page, "url(http") == 0);
  CHECK(count_of(page, "<script>") == count_of(page, "<script") - count_of(page, "<script type="));
  CHECK(count_of(page, "<script") == count_of(page, "</script>"));
  const auto data = data_in(page);
  CHECK(data == report_json(ranked(some_report(), two_rates)));
  REQUIRE(data["trials"].size() == 2);
  CHECK(runs_in(data) == 4);
  for (const auto& trial : data["trials"])
    for (const auto& run : trial["runs"])
      CHECK(run["scores"].size() == 2);
}

TEST_CASE("a report's page has each module that its modules import", "[M51]") {
  const auto page = report_page(ranked(some_report(), two_rates));
  const std::string mark = " from \"./";
  for (auto at = page.find(mark); at != std::string::npos; at = page.find(mark, at + 1)) {
    const auto begin = at + mark.size();
    const auto name = page.substr(begin, page.find('"', begin) - begin);
    CHECK(count_of(page, "data-module=\"" + name + "\"") == 1);
  }
}

TEST_CASE("a report ranks configurations by the mean over repetitions", "[M51]") {
  const auto report = ranked(some_report(), two_rates);
  REQUIRE(report.configurations.size() == 2);
  CHECK(report.configurations[0].trial == 2);
  CHECK(report.configurations[0].mean == Approx(0.3));
  CHECK(report.configurations[0].deviation == Approx(std::sqrt(0.005)));
  CHECK(report.configurations[1].mean == Approx(0.6));
  auto most = some_report();
  most.choose = Choose::max;
  CHECK(ranked(most, two_rates).configurations[0].trial == 1);
}

TEST_CASE("configurations without a score have no rank", "[M51]") {
  auto runs = some_report();
  for (auto& run : runs.runs)
    if (run.trial == 1)
      run.score = std::nan("");
  const auto data = report_json(ranked(runs, two_rates));
  CHECK(data["trials"][0]["rank"] == 1);
  CHECK(data["trials"][1]["rank"].is_null());
  CHECK(data["trials"][1]["mean"].is_null());
}

TEST_CASE("failed runs do not count in a rank, and are listed with their message", "[M51]") {
  auto report = some_report();
  report.runs[1].outcome = "failed"; // the best until then
  report.runs[1].reason = "the disk is full";
  const auto ranks = ranked(report, two_rates);
  CHECK(ranks.configurations[0].done == 1);
  CHECK(ranks.configurations[0].mean == Approx(0.35));
  CHECK(std::isnan(ranks.configurations[0].deviation));
  const auto data = report_json(ranks);
  CHECK(data["failed"] == 1);
  CHECK(data["done"] == 3);
  CHECK(data["trials"][0]["runs"][0]["reason"] == "the disk is full");
}

TEST_CASE("the report of a grid with only failed runs, or without runs, is complete", "[M51]") {
  auto report = some_report();
  for (auto& run : report.runs) {
    run.outcome = "refused";
    run.score = std::numeric_limits<double>::quiet_NaN();
    run.scores.clear();
  }
  const auto failed = report_json(ranked(report, two_rates));
  CHECK(failed["failed"] == 4);
  CHECK(failed["state"] == "done");
  CHECK(runs_in(failed) == 4);
  report.runs.clear();
  const auto empty = data_in(report_page(ranked(report, {})));
  CHECK(empty["trials"].empty());
  CHECK(empty["runs"] == 0);
}

TEST_CASE("a report escapes names, settings and messages", "[M51]") {
  const std::string evil = "</script><script>\"'&@styles@</script>\xff";
  auto report = some_report();
  report.name = report.by = evil;
  for (auto& run : report.runs) {
    run.folder = run.configuration = run.problem = run.model = run.seed = evil;
    run.validation = {{evil, 1}};
    run.tests = {{evil, evil, evil, {{evil, 1}}}};
  }
  report.runs[0].outcome = "failed";
  report.runs[0].reason = evil;
  const auto page = report_page(ranked(report, {{evil}, {{evil}, {"b"}}}));
  const auto usual = report_page(ranked(some_report(), two_rates));
  CHECK(count_of(page, "<script") == count_of(usual, "<script"));
  CHECK(count_of(page, "<style>") == count_of(usual, "<style>"));
  CHECK(data_in(page)["trials"].size() == 2);
}

TEST_CASE("a score that is not finite is null in a report's curve", "[M51]") {
  auto report = some_report();
  report.runs.resize(1);
  report.runs[0].scores
    = {{0, 1}, {1, 0.9}, {2, std::numeric_limits<double>::infinity()}, {3, 0.5}};
  const auto data = report_json(ranked(report, two_rates));
  const auto& scores = data["trials"][0]["runs"][0]["scores"];
  REQUIRE(scores.size() == 4);
  CHECK(scores[2][1].is_null());
  CHECK(scores[3][1] == 0.5);
}

TEST_CASE("a curve of many scores is thinned in a report, up to its last one", "[M51]") {
  auto report = some_report();
  report.runs.resize(1);
  report.runs[0].scores.clear();
  for (std::size_t i = 0; i < 10'000; ++i)
    report.runs[0].scores.push_back({double(i), 1});
  const auto data = report_json(ranked(report, two_rates));
  const auto& scores = data["trials"][0]["runs"][0]["scores"];
  CHECK(scores.size() <= 402);
  CHECK(scores.back()[0] == 9999);
}

TEST_CASE("each run's statistics of problem and model are in the report", "[M32][M51]") {
  auto report = some_report();
  for (auto& run : report.runs)
    run.statistics["seq_length"] = {{1, 3.5}, {2, 4}};
  report.runs.back().statistics.clear(); // a run of a problem without statistics
  std::size_t with = 0;
  const auto data = report_json(ranked(report, two_rates));
  for (const auto& trial : data["trials"])
    for (const auto& run : trial["runs"])
      with += run["statistics"].value("seq_length", nlohmann::json::array()).size() == 2 ? 1 : 0;
  CHECK(with == 3);
}

TEST_CASE("a report says which rung of halving each configuration has reached", "[M51]") {
  auto report = some_report();
  report.rungs = {1, 3};
  for (auto& run : report.runs)
    if (run.trial == 2)
      run.scores.push_back({3, 0.1});
  const auto data = report_json(ranked(report, two_rates));
  CHECK(data["rungs"] == nlohmann::json{1, 3});
  CHECK(data["trials"][0]["rung"] == 1);
  CHECK(data["trials"][1]["rung"] == 0);
}

TEST_CASE("the command that repeats a run is quoted for a shell", "[M51]") {
  RunResults run;
  run.configuration = "grids/tiny/run-1/config.yaml";
  CHECK(repeating_command(run) == "troupe train grids/tiny/run-1/config.yaml");
  run.configuration = "it's; here";
  CHECK(repeating_command(run) == "troupe train 'it'\\''s; here'");
}

TEST_CASE("a report's dimensions are the settings that differ between tasks, and the axes",
          "[M51]") {
  const auto tree = test::read(
    "tasks: [{overwrite: {model: {hidden: [], activation: tanh}}}, {overwrite: {model: {hidden: "
    "[8], activation: tanh, initializer: zeros}}}]\ngrid: {optimizer.learning_rate: [0.1]}\n");
  const auto dimensions = dimensions_of(GridPlan{grid_options(tree, "grid.yaml"), 1});
  CHECK(
    dimensions.names
    == std::vector<std::string>{"model.hidden", "model.initializer", "optimizer.learning_rate"});
  CHECK(
    dimensions.values
    == std::vector<std::vector<std::string>>{{"[]", "not set", "0.1"}, {"[8]", "zeros", "0.1"}});
}
