#include "apps/dashboard/cluster_view.hpp"
#include "apps/dashboard/grid_view.hpp"
#include "apps/dashboard/prometheus.hpp"
#include "apps/dashboard/run_text.hpp"
#include "apps/dashboard/system_usage.hpp"
#include "apps/run_index/shown_state.hpp"
#include "tests/support/program.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace troupe;

namespace {

std::shared_ptr<const RunRow>
shown_row(SharedTexts& texts, const std::string& id,
          const std::vector<std::pair<std::string, std::string>>& values,
          const std::string& folder = "/g/run") {
  auto row = std::make_shared<RunRow>();
  row->id = id;
  row->json = "{\"id\":\"" + id + "\"}";
  for (const auto& [key, value] : values)
    row->configuration.emplace_back(texts.keep(key), texts.keep(value));
  row->found.path = folder;
  return row;
}

TrialEnded trial_end(RunNumber run, std::uint32_t rung, double score) {
  TrialEnded ended;
  ended.run = run;
  ended.rung = rung;
  ended.score = score;
  return ended;
}

} // namespace

TEST_CASE("values that most runs share are in the table once", "[dashboard]") {
  SharedTexts texts;
  const auto answer = nlohmann::json::parse(runs_answer(
    {shown_row(texts, "a", {{"x", "1"}, {"y", "\"t\""}}),
     shown_row(texts, "b", {{"x", "1"}, {"y", "2"}}), shown_row(texts, "c", {{"x", "3"}}),
     shown_row(texts, "d", {{"x", "1"}, {"y", "2"}}),
     shown_row(texts, "e", {{"x", "1"}, {"y", "2"}})}));
  CHECK(answer["common"] == nlohmann::json{{"x", 1}, {"y", 2}});
  CHECK(answer["runs"][0]["config"] == nlohmann::json{{"y", "t"}});
  CHECK(answer["runs"][1]["config"].empty());
  CHECK(answer["runs"][2]["config"] == nlohmann::json{{"x", 3}, {"y", nullptr}});
}

TEST_CASE("a configuration is flat, and its texts stay texts", "[dashboard]") {
  const auto values
    = flat_configuration("a: {b: 3, c: 0.5, d: '3', e: [1, x], f: true, g: on}", "a");
  const std::vector<std::pair<std::string, std::string>> expected{
    {"a.b", "3"},          {"a.c", "0.5"},  {"a.d", "\"3\""},
    {"a.e", "\"[1, x]\""}, {"a.f", "true"}, {"a.g", "\"on\""}};
  CHECK(values == expected);
}

TEST_CASE("a number that is not finite is null", "[dashboard]") {
  CHECK(number_or_null(std::numeric_limits<double>::quiet_NaN()).is_null());
  CHECK(number_or_null(std::numeric_limits<double>::infinity()).is_null());
  CHECK(number_or_null(3).dump() == "3");
  CHECK(number_or_null(0.1).dump() == "0.1");
}

TEST_CASE("a run that holds its lock trains, and one without an end is lost", "[dashboard]") {
  CHECK(shown_state({true, false, true, false, ""}) == ShownState::training);
  CHECK(shown_state({true, false, true, true, ""}) == ShownState::paused);
  CHECK(shown_state({true, false, false, false, ""}) == ShownState::lost);
  CHECK(shown_state({true, true, false, false, "finished"}) == ShownState::done);
  CHECK(shown_state({true, true, false, false, "interrupted"}) == ShownState::stopped);
  CHECK(shown_state({true, true, false, false, "failed"}) == ShownState::failed);
  CHECK(shown_state({}) == ShownState::fresh);
}

TEST_CASE("a resumed run trains whatever its earlier end was", "[dashboard]") {
  CHECK(shown_state({true, false, true, false, "failed"}) == ShownState::training);
}

TEST_CASE("a folder of a grid says its trial and repetition", "[dashboard]") {
  CHECK(grid_place_of("trial-0012-rep-3").trial == 12);
  CHECK(grid_place_of("trial-0012-rep-3").repetition == 3);
  for (const auto* name : {"trial-0012-rep-3.failed-1", "trial-x-rep-1", "trial-1", "nodes", ""})
    CHECK(grid_place_of(name).trial == 0);
}

TEST_CASE("trials are ranked by the furthest rung, then by their mean", "[dashboard]") {
  SharedTexts texts;
  GridDescription description;
  description.axes = {"x"};
  description.values = {{"1"}, {"2"}, {"3"}};
  description.tasks = {1, 1, 1};
  description.rungs = {1, 3};
  GridJournal journal;
  journal.ended = {trial_end(1, 0, 0.1), trial_end(2, 0, 0.5), trial_end(2, 1, 0.4),
                   trial_end(3, 0, 0.3), trial_end(3, 1, 0.2)};
  const auto grid = grid_answer({"/g", {}, {}}, description, journal,
                                {shown_row(texts, "a", {}, "/g/trial-0001-rep-1")});
  CHECK(grid["trials"][0]["rank"] == 3);
  CHECK(grid["trials"][1]["rank"] == 2);
  CHECK(grid["trials"][2]["rank"] == 1);
  CHECK(grid["trials"][0]["runs"][0]["id"] == "a");
  CHECK(grid["trials"][2]["runs"][0]["scores"].dump() == "[[1,0.3],[3,0.2]]");
  CHECK(grid["done"] == 3);
}

TEST_CASE("a damaged description of a grid counts as none", "[dashboard]") {
  CHECK(grid_description_in("{").by == "validation_loss");
  CHECK(grid_description_in(R"({"by":3})").axes.empty());
}

TEST_CASE("a member far below the median speed is slow", "[dashboard]") {
  std::vector<MemberView> members(3);
  for (std::size_t i = 0; i < members.size(); ++i) {
    members[i].name = "worker-" + std::to_string(i);
    members[i].seconds = 10;
    members[i].batches = i == 1 ? 70 : 100;
  }
  CHECK(slow_members(members) == std::vector<std::string>{"worker-1"});
  CHECK(slow_members({members[1]}).empty());
}

TEST_CASE("an evaluator, which trains no batch, is not slow", "[dashboard]") {
  std::vector<MemberView> members(3);
  for (auto& member : members) {
    member.seconds = 10;
    member.batches = 100;
  }
  members[0].name = "evaluator";
  members[0].trains = false;
  members[0].batches = 3;
  CHECK(slow_members(members).empty());
  const auto cluster = cluster_answer({"/c", {}, {}}, {}, members);
  CHECK(cluster["members"][0]["role"] == "evaluator");
  CHECK_FALSE(cluster["members"][0].contains("batches"));
  CHECK(cluster["members"][1]["batches_per_second"] == 10);
}

TEST_CASE("a grid whose runs were not found yet has those of its journal", "[dashboard]") {
  GridJournal journal;
  journal.ended = {trial_end(1, 0, 0.1), trial_end(4, 0, 0.5)};
  const auto grid = grid_row({"/g", {}, {}}, {}, journal, {});
  CHECK(grid["done"] == 2);
  CHECK(grid["runs"] == 4);
}

TEST_CASE("pictures in a run's folders are listed with its files", "[dashboard]") {
  const test::WorkFolder work;
  std::filesystem::create_directories(work.path() / "samples" / "deep");
  for (const auto* name : {"config.yaml", "control.json", ".lock", "samples/epoch-1.png",
                           "samples/notes.txt", "samples/deep/x.png"})
    std::ofstream{work.path() / name} << "x";
  std::filesystem::create_symlink(work.path() / "config.yaml", work.path() / "link.csv");
  CHECK(listed_files(work.path())
        == std::vector<std::string>{"config.yaml", "samples/epoch-1.png"});
}

TEST_CASE("a label of a metric escapes what the format gives a meaning", "[dashboard]") {
  CHECK(prometheus_label("run", "a\"b\\c\nd") == R"(run="a\"b\\c\nd")");
}

TEST_CASE("the usage of a process is read whatever its name is", "[dashboard]") {
  const auto usage
    = usage_in_stat("12 (a) b) S 1 2 3 4 5 6 7 8 9 10 150 50 0 0 20 0 7 0 99 1000 25 1", 100, 4096);
  REQUIRE(usage);
  CHECK(usage->processor_seconds == 2);
  CHECK(usage->threads == 7);
  CHECK(usage->memory_bytes == 25 * 4096);
  CHECK_FALSE(usage_in_stat("garbage", 100, 4096));
}
