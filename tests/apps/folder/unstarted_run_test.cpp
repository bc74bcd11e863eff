#include "apps/folder/unstarted_run.hpp"
#include "tests/support/program.hpp"

#include <catch2/catch.hpp>

#include <fstream>

using namespace troupe;

namespace {

namespace fs = std::filesystem;

void write_in(const fs::path& folder, const std::string& name) {
  fs::create_directories(folder);
  std::ofstream{folder / name} << "x";
}

} // namespace

TEST_CASE("the folder of a run that does not start is removed, with those made for it",
          "[unstarted_run]") {
  test::WorkFolder work;
  const auto root = work.path() / "runs";
  {
    UnstartedRun unstarted{root};
    write_in(root / "digits" / "mlp" / "now", "config.yaml");
    unstarted.made(root / "digits" / "mlp" / "now");
  }
  CHECK(!fs::exists(root));
  CHECK(fs::exists(work.path()));
}

TEST_CASE("other runs stay when one does not start", "[unstarted_run]") {
  test::WorkFolder work;
  const auto root = work.path() / "runs";
  write_in(root / "digits" / "mlp" / "before", "state.bin");
  {
    UnstartedRun unstarted{root};
    write_in(root / "digits" / "mlp" / "now", "config.yaml");
    unstarted.made(root / "digits" / "mlp" / "now");
  }
  CHECK(!fs::exists(root / "digits" / "mlp" / "now"));
  CHECK(fs::exists(root / "digits" / "mlp" / "before" / "state.bin"));
}

TEST_CASE("a folder that existed before keeps its content", "[unstarted_run]") {
  test::WorkFolder work;
  const auto folder = work.path() / "mine";
  write_in(folder, "notes.txt");
  {
    UnstartedRun unstarted{folder.string() + "/"};
    unstarted.made(folder);
    write_in(folder, "config.yaml");
    write_in(folder / "models", "x");
  }
  CHECK(fs::exists(folder / "notes.txt"));
  CHECK(!fs::exists(folder / "config.yaml"));
  CHECK(!fs::exists(folder / "models"));
}

TEST_CASE("a started run stays, and a folder that was never made is not removed",
          "[unstarted_run]") {
  test::WorkFolder work;
  const auto folder = work.path() / "run";
  {
    UnstartedRun unstarted{folder};
    write_in(folder, "config.yaml");
    unstarted.made(folder);
    unstarted.begin();
  }
  CHECK(fs::exists(folder / "config.yaml"));
  {
    const UnstartedRun refused{folder}; // another process works there
  }
  CHECK(fs::exists(folder / "config.yaml"));
}
