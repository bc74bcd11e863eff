#include "actors/checkpoint/run_writer.hpp"
#include "tests/support/deterministic_system.hpp"
#include "tests/support/full_disk.hpp"
#include "tests/support/program.hpp"

using namespace troupe;
using namespace troupe::test;

namespace {

/// Writes one run after the other to checkpoint.bin, of which three are kept.
struct KeptRuns {
  RunWritten write(Step batches) {
    SavedTrainer trainer;
    trainer.position.batches = batches;
    WriteRun request;
    request.run.trainers.push_back(trainer);
    request.paths = {path("checkpoint.bin")};
    request.keep = 3;
    const auto written = world.ask<RunWritten>(writer, request);
    REQUIRE(written);
    return *written;
  }
  std::string path(const std::string& name) const { return (work.path() / name).string(); }
  Step batches_in(const std::string& name) const {
    return load_run(path(name)).trainers.at(0).position.batches;
  }
  std::ptrdiff_t files() const {
    return std::distance(std::filesystem::directory_iterator{work.path()}, {});
  }

  WorkFolder work;
  DeterministicSystem world;
  RunWriter writer = world.keep(spawn_scheduled_run_writer(world.system));
};

} // namespace

TEST_CASE("each new file makes those before it older by one", "[run_writer][B42]") {
  KeptRuns runs;
  for (Step batches = 1; batches <= 5; ++batches)
    CHECK(runs.write(batches).error.empty());
  CHECK(runs.batches_in("checkpoint.bin") == 5);
  CHECK(runs.batches_in("checkpoint.1.bin") == 4);
  CHECK(runs.batches_in("checkpoint.2.bin") == 3);
  CHECK(runs.files() == 3);
}

TEST_CASE("a file that cannot be written leaves all earlier ones as they were",
          "[run_writer][B42]") {
  KeptRuns runs;
  for (Step batches = 1; batches <= 3; ++batches)
    runs.write(batches);
  for (auto tries = 0; tries < 2; ++tries) {
    const FullDisk disk{8};
    CHECK_FALSE(runs.write(4).error.empty());
  }
  CHECK(runs.batches_in("checkpoint.bin") == 3);
  CHECK(runs.batches_in("checkpoint.1.bin") == 2);
  CHECK(runs.batches_in("checkpoint.2.bin") == 1);
  CHECK(runs.files() == 3);
}
