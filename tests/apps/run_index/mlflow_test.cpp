#include "apps/config/tree.hpp"
#include "apps/config/yaml.hpp"
#include "apps/run_index/mlflow.hpp"
#include "tests/support/captured_errors.hpp"
#include "tests/support/program.hpp"

#include <fstream>

using namespace troupe;
using namespace troupe::test;

namespace {

namespace fs = std::filesystem;

const std::string first(32, '1'), second(32, '2');

void make_run(const fs::path& folder, const std::string& id) {
  fs::create_directories(folder);
  std::ofstream{folder / "config.yaml"}
    << "problem: {name: digits}\nmodel: {hidden: [64, 32]}\ntraining: {seed: 1.5e+03, lr/x: 0.1}\n";
  std::ofstream{folder / "result.json"} << R"({"outcome":"finished"})";
  std::ofstream{folder / "tags.json"} << R"(["good one"])";
  const std::string begin = R"({"run":"r",)";
  const std::string time = R"("time":"2001-09-09T01:46:40.250Z")";
  const auto row
    = [&](const std::string& worker, const std::string& batch, const std::string& records) {
        return begin + R"("worker":)" + worker + R"(,"batch":)" + batch
               + R"(,"epoch":0,"seconds":1.5,)" + time + R"(,"records":)" + records + "}\n";
      };
  std::ofstream{folder / "log.jsonl"}
    << begin + R"("id":")" + id + "\"," + time + "}\n"
    << row("0", "1", R"({"loss":0.5,"note":"text","best":true})")
    << row("1", "1", R"({"loss":"NaN"})") << row("0", "2", R"({"loss":0.25})")
    << begin + R"("id":"77","resumed_from":")" + id + R"(","resumed_at":{"0":1},)" + time + "}\n"
    << row("0", "2", R"({"loss":0.125})")
    << begin + R"("id":"77","ended":true,"time":"2001-09-09T01:46:41.000Z"})"
    << "\n";
}

/// The only folder in a folder.
fs::path only_folder_in(const fs::path& folder) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_directory())
      found.push_back(entry.path());
  REQUIRE(found.size() == 1);
  return found.front();
}

std::string value_in(const fs::path& yaml, const std::string& key) {
  const auto tree = config::read_yaml(text_of_file(yaml.string()), "meta.yaml");
  const auto* node = tree.find(key);
  REQUIRE(node != nullptr);
  return node->text();
}

} // namespace

TEST_CASE("a run is written in the layout that MLflow reads", "[mlflow]") {
  const DataFolder work;
  const fs::path run = work.path("runs/one"), target = work.path("mlruns");
  make_run(run, first);
  REQUIRE(write_for_mlflow({run, {}, {}}, target));
  const auto experiment = only_folder_in(target);
  CHECK(experiment.filename().string().size() == 18);
  CHECK(value_in(experiment / "meta.yaml", "name") == "digits");
  CHECK(value_in(experiment / "meta.yaml", "experiment_id") == experiment.filename());
  const auto written = only_folder_in(experiment);
  CHECK(written.filename() == first);
  CHECK(value_in(written / "meta.yaml", "run_id") == first);
  CHECK(value_in(written / "meta.yaml", "run_name") == "one");
  CHECK(value_in(written / "meta.yaml", "experiment_id") == experiment.filename());
  CHECK(value_in(written / "meta.yaml", "status") == "3");
  CHECK(value_in(written / "meta.yaml", "start_time") == "1000000000250");
  CHECK(text_of_file((written / "metrics/loss").string())
        == "1000000000250 0.5 1\n1000000000250 0.125 2\n"); // the superseded row does not count
  CHECK(text_of_file((written / "metrics/worker-1/loss").string()) == "1000000000250 nan 1\n");
  CHECK(text_of_file((written / "metrics/best").string()) == "1000000000250 1 1\n");
  CHECK_FALSE(fs::exists(written / "metrics/note"));
  CHECK(text_of_file((written / "params/training.seed").string()) == "1500");
  CHECK(text_of_file((written / "params/model.hidden").string()) == "[64, 32]");
  CHECK(text_of_file((written / "params/training.lr_x").string()) == "0.1");
  CHECK(text_of_file((written / "tags/mlflow.runName").string()) == "one");
  CHECK(text_of_file((written / "tags/troupe.outcome").string()) == "finished");
  CHECK(fs::exists(written / "tags/good one"));
  CHECK(fs::is_directory(written / "artifacts"));
}

TEST_CASE("a run that is written for MLflow again replaces itself", "[mlflow]") {
  const DataFolder work;
  const fs::path run = work.path("runs/one"), target = work.path("mlruns");
  make_run(run, first);
  REQUIRE(write_for_mlflow({run, {}, {}}, target));
  const auto metrics = only_folder_in(only_folder_in(target)) / "metrics";
  const auto before = text_of_file((metrics / "loss").string());
  std::ofstream{metrics / "stale"} << "1 1 1\n";
  REQUIRE(write_for_mlflow({run, {}, {}}, target));
  CHECK(text_of_file((metrics / "loss").string()) == before);
  CHECK_FALSE(fs::exists(metrics / "stale"));
}

TEST_CASE("the runs of a grid are one experiment of MLflow", "[mlflow]") {
  const DataFolder work;
  const fs::path grid = work.path("grids/wide"), target = work.path("mlruns");
  make_run(grid / "trial-0001-rep-1", first);
  make_run(grid / "trial-0002-rep-1", second);
  std::ofstream{grid / "journal"} << "";
  for (const auto& run : find_run_folders({grid}).runs)
    CHECK(write_for_mlflow(run, target));
  const auto experiment = only_folder_in(target);
  CHECK(value_in(experiment / "meta.yaml", "name") == "wide");
  CHECK(fs::exists(experiment / first / "meta.yaml"));
  CHECK(fs::exists(experiment / second / "meta.yaml"));
}

TEST_CASE("a run without a log is not written for MLflow", "[mlflow]") {
  const DataFolder work;
  fs::create_directories(work.path("run"));
  CHECK_FALSE(write_for_mlflow({work.path("run"), {}, {}}, work.path("mlruns")));
  CHECK_FALSE(fs::exists(work.path("mlruns")));
}
