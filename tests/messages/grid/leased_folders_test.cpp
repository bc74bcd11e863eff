#include "messages/grid/leased_folders.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/full_disk.hpp"
#include "tests/support/program.hpp"

using namespace troupe;

namespace {

const std::string far_node = "nodes/aa-1";

struct LeasedScene {
  test::DataFolder grid;
  LeasedFolders folders{grid.path(""), "the probe"};

  void write(const std::string& file, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path{grid.path(file)}.parent_path());
    std::ofstream{grid.path(file)} << text;
  }
  std::string text(const std::string& file) const { return test::contents(grid.path(file)); }
  bool has(const std::string& file) const { return std::filesystem::exists(grid.path(file)); }
};

} // namespace

TEST_CASE("a node reads the probe only in a folder that it shares", "[M47]") {
  const LeasedScene scene;
  scene.folders.open(far_node);
  CHECK(read_probe(scene.grid.path(far_node)) == "the probe");
  CHECK(read_probe(scene.grid.path("nodes/aa-2")).empty());
}

TEST_CASE("a run is in one place only, its own or its node's, with its failed attempts", "[M47]") {
  const LeasedScene scene;
  scene.write("run/state.bin", "1");
  scene.write("run.failed-1/state.bin", "0");
  scene.folders.open(far_node);
  scene.folders.lease("run", far_node);
  CHECK_FALSE(scene.has("run"));
  CHECK_FALSE(scene.has("run.failed-1"));
  scene.write(far_node + "/run/state.bin", "2");
  scene.write(far_node + "/run.failed-2/state.bin", "3");
  scene.folders.return_run("run", far_node);
  CHECK_FALSE(scene.has(far_node + "/run"));
  CHECK(scene.text("run/state.bin") == "2");
  CHECK(scene.text("run.failed-1/state.bin") == "0");
  CHECK(scene.text("run.failed-2/state.bin") == "3");
}

TEST_CASE("files that a lost node writes when it wakes up reach no run", "[M47]") {
  const LeasedScene scene;
  scene.folders.open(far_node);
  scene.folders.lease("run", far_node); // it has no files yet
  scene.write(far_node + "/run/log.jsonl", "rows\n");
  scene.write(far_node + "/run/models/model_best.bin", "best");
  std::ofstream held{scene.grid.path(far_node + "/run/log.jsonl"), std::ios::app};
  scene.folders.rescue("run", far_node);
  scene.folders.open("nodes/aa-2");
  scene.folders.lease("run", "nodes/aa-2");
  held << "late\n" << std::flush;
  scene.write(far_node + "/run/models/model_best.bin", "late");
  CHECK(scene.text("nodes/aa-2/run/log.jsonl") == "rows\n");
  CHECK(scene.text("nodes/aa-2/run/models/model_best.bin") == "best");
}

TEST_CASE("runs that were leased when the coordinator was killed are back at its next start",
          "[M49]") {
  const LeasedScene scene;
  scene.folders.open(far_node);
  scene.write(far_node + "/one/state.bin", "1");
  scene.write(far_node + "/two.failed-1/state.bin", "2");
  scene.write("one.arriving/state.bin", "half a copy");
  scene.folders.rescue_all();
  CHECK(scene.text("one/state.bin") == "1");
  CHECK(scene.text("two.failed-1/state.bin") == "2");
  CHECK_FALSE(scene.has("one.arriving"));
  CHECK_FALSE(scene.has("nodes"));
  scene.folders.rescue_all();
  CHECK(scene.text("one/state.bin") == "1");
}

TEST_CASE("a folder that a lost node creates again is not mistaken for its run at the next start",
          "[M49]") {
  const LeasedScene scene;
  scene.write("run/log.jsonl", "rows\n");
  scene.folders.open(far_node);
  scene.folders.lease("run", far_node);
  scene.folders.rescue("run", far_node);
  scene.folders.open("nodes/aa-2");
  scene.folders.lease("run", "nodes/aa-2");
  scene.write(far_node + "/run/state.bin", "late");
  scene.write(far_node + "/run.failed-1/state.bin", "late");
  SECTION("when the run is leased to another node") {
    scene.write("nodes/aa-2/run/state.bin", "newer");
    scene.folders.rescue_all();
    CHECK(scene.text("run/log.jsonl") == "rows\n");
    CHECK(scene.text("run/state.bin") == "newer");
  }
  SECTION("when it is back") {
    scene.folders.return_run("run", "nodes/aa-2");
    scene.folders.rescue_all();
    CHECK(scene.text("run/log.jsonl") == "rows\n");
    CHECK_FALSE(scene.has("run/state.bin"));
  }
  CHECK_FALSE(scene.has("run.failed-1"));
  CHECK_FALSE(scene.has("nodes"));
}

TEST_CASE("a lost node's run that cannot be copied stays with the node", "[M49]") {
  const LeasedScene scene;
  scene.folders.open(far_node);
  scene.write(far_node + "/run/log.jsonl", "rows\n");
  scene.write(far_node + "/run/models/model_best.bin", std::string(100'000, 'x'));
  {
    const test::FullDisk full{50'000};
    CHECK_THROWS_WITH(
      scene.folders.rescue("run", far_node),
      Catch::Contains("cannot write '")
        && Catch::Contains("models/model_best.bin': File too large; check the free space"));
    CHECK_THROWS_AS(scene.folders.rescue_all(), std::runtime_error);
  }
  CHECK_FALSE(scene.has("run"));
  CHECK_FALSE(scene.has("run.arriving"));
  CHECK(scene.text(far_node + "/run/models/model_best.bin").size() == 100'000);

  SECTION("a grid that ends leaves it there") {
    scene.write(far_node + "/other/log.jsonl", "rows\n");
    scene.write("nodes/aa-2/other/log.jsonl", "rows of one that woke up\n");
    scene.folders.rescue("other", far_node);
    scene.folders.close();
    CHECK(scene.has(far_node + "/run"));
    CHECK_FALSE(scene.has("nodes/aa-2"));
    CHECK(scene.text("other/log.jsonl") == "rows\n");
  }
  SECTION("as soon as there is room it is copied back") {
    scene.folders.rescue("run", far_node);
    CHECK(scene.text("run/models/model_best.bin").size() == 100'000);
    CHECK_FALSE(scene.has(far_node + "/run"));
  }
  SECTION("it can be set aside as one more failed attempt") {
    scene.write(far_node + "/run.failed-1/log.jsonl", "rows\n");
    CHECK(scene.folders.set_aside("run", far_node) == "run.failed-2");
    CHECK(scene.text("run.failed-2/models/model_best.bin").size() == 100'000);
    CHECK(scene.text("run.failed-1/log.jsonl") == "rows\n");
    CHECK_FALSE(scene.has(far_node + "/run"));
  }
}
