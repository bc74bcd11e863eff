#include "apps/grid/report_page.hpp"
#include "apps/grid/report_svg.hpp"
#include "tests/support/run_yaml.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <set>

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

std::string between(const std::string& text, const std::string& from, const std::string& to) {
  const auto begin = text.find(from);
  return begin == std::string::npos ? "" : text.substr(begin, text.find(to, begin) - begin);
}

/// The defect of a page's nesting; "" if there is none.
std::string nesting_fault(const std::string& page) {
  const std::set<std::string> without_end{"meta", "!DOCTYPE"};
  std::vector<std::string> open;
  for (auto at = page.find('<'); at != std::string::npos; at = page.find('<', at)) {
    const auto end = page.find('>', at);
    if (end == std::string::npos)
      return "a tag does not end";
    const auto tag = page.substr(at + 1, end - at - 1);
    const auto name = tag.substr(0, tag.find_first_of(" /", 1));
    at = end;
    if (name == "script" || name == "style") // their text up to the end tag
      at = page.find("</" + name, end);
    if (tag.front() == '/') {
      if (open.empty() || "/" + open.back() != tag)
        return "<" + tag + "> ends " + (open.empty() ? "nothing" : open.back());
      open.pop_back();
    } else if (tag.back() != '/' && without_end.count(name) == 0)
      open.push_back(name);
  }
  return open.empty() ? "" : open.back() + " is not ended";
}

/// The external resources of a page.
std::size_t foreign_addresses(std::string page) {
  const std::string name_space = "xmlns=\"http://www.w3.org/2000/svg\"";
  for (auto at = page.find(name_space); at != std::string::npos; at = page.find(name_space))
    page.erase(at, name_space.size());
  return count_of(page, "http") + count_of(page, "src=") + count_of(page, "url(");
}

} // namespace

TEST_CASE("a report has a curve and a row for each run, and needs no other file", "[M51]") {
  const auto page = report_page(ranked(some_report(), two_rates));
  CHECK(nesting_fault(page) == "");
  CHECK(foreign_addresses(page) == 0);
  CHECK(count_of(page, "<path class=\"run\"") == 4);
  CHECK(count_of(page, "<path class=\"mean\"") == 2);
  CHECK(count_of(page, "<polygon class=\"band\"") == 2);
  CHECK(count_of(page, "<polyline class=\"across") == 4);
  CHECK(count_of(between(page, "<table class=\"sortable\"", "</table>"), "<tr>") == 1 + 4);
  CHECK(count_of(between(page, "<table class=\"configurations\"", "</table>"), "<tr>") == 1 + 2);
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
  const auto page = report_page(ranked(runs, two_rates));
  const auto table = between(page, "<table class=\"configurations\"", "</table>");
  CHECK(count_of(table, "<tr><td class=\"number\">1</td>") == 1);
  CHECK(count_of(table, "<tr><td class=\"number\"></td>") == 1);
}

TEST_CASE("failed runs do not count in a rank, and are listed with their message", "[M51]") {
  auto report = some_report();
  report.runs[1].outcome = "failed"; // the best until then
  report.runs[1].reason = "the disk is full";
  const auto ranks = ranked(report, two_rates);
  CHECK(ranks.configurations[0].done == 1);
  CHECK(ranks.configurations[0].mean == Approx(0.35));
  CHECK(std::isnan(ranks.configurations[0].deviation));
  const auto page = report_page(ranks);
  CHECK(between(page, "<table class=\"failures\"", "</table>").find("the disk is full")
        != std::string::npos);
  CHECK(count_of(page, "<polyline class=\"across") == 3);
}

TEST_CASE("the report of a grid with only failed runs, or without runs, is complete", "[M51]") {
  auto report = some_report();
  for (auto& run : report.runs) {
    run.outcome = "refused";
    run.score = std::numeric_limits<double>::quiet_NaN();
    run.scores.clear();
  }
  const auto failed = report_page(ranked(report, two_rates));
  CHECK(nesting_fault(failed) == "");
  CHECK(count_of(failed, "<td>refused</td>")
        == 8); // in the list of all runs and in that of failed ones
  CHECK(failed.find("No run is done") != std::string::npos);
  report.runs.clear();
  const auto empty = report_page(ranked(report, {}));
  CHECK(nesting_fault(empty) == "");
  CHECK(empty.find("0 configurations, 0 runs") != std::string::npos);
}

TEST_CASE("a report escapes names, settings and messages", "[M51]") {
  const std::string evil = "<script>\"'&</script>";
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
  CHECK(nesting_fault(page) == "");
  CHECK(count_of(page, "<script>") == 1);
  CHECK(count_of(page, evil) == 0);
  CHECK(escaped_html(evil) == "&lt;script&gt;&quot;&#39;&amp;&lt;/script&gt;");
}

TEST_CASE("a curve has a gap where a score is not finite, and is still one curve", "[M51]") {
  auto report = some_report();
  report.runs.resize(1);
  report.runs[0].scores
    = {{0, 1}, {1, 0.9}, {2, std::numeric_limits<double>::infinity()}, {3, 0.5}};
  const auto page = report_page(ranked(report, two_rates));
  CHECK(count_of(page, "<path class=\"run\"") == 1);
  const auto way = between(page, "<path class=\"run\"", ">");
  CHECK(count_of(way, "M") == 2);
  CHECK(count_of(page, "inf") == 0);
}

TEST_CASE("each statistic of problem and model has a chart in the report", "[M32][M51]") {
  auto report = some_report();
  for (auto& run : report.runs)
    run.statistics["seq_length"] = {{1, 3.5}, {2, 4}};
  report.runs.back().statistics.clear(); // a run of a problem without statistics
  const auto page = report_page(ranked(report, two_rates));
  CHECK(nesting_fault(page) == "");
  CHECK(count_of(page, "seq_length over epochs") == 1);
  CHECK(count_of(page, "<path class=\"run\"") == 4 + 3);
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
