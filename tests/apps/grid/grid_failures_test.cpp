// Messages about failed runs of a grid.
#include "apps/folder/run_lock.hpp"
#include "tests/support/tiny_grid.hpp"

#include <catch2/catch.hpp>
#include <unistd.h>

using namespace troupe::test;

TEST_CASE("a bad task is reported, the others are trained, and the exit code shows it", "[M48]") {
  WorkFolder work;
  write_grid(work, "grid: {optimizer.learning_rate: [0.01, -1]}\n");
  const auto ran = troupe_program(work.path(), "grid train tiny.yaml");
  CHECK(ran.code == 70);
  CHECK(ran.error.find("was refused, attempt 1") != std::string::npos);
  CHECK(ran.error.find("2 runs done, 2 failed") != std::string::npos);
  CHECK(ran.out.find("1 failed") != std::string::npos);
}

TEST_CASE("a mistake in all trials is reported once, before the grid has a folder", "[M48]") {
  WorkFolder work;
  write_grid(work, "repetitions: 3\n");
  const auto wrong
    = troupe_program(work.path(), "grid train tiny.yaml +grid_overwrite.training.epoch=3");
  CHECK(wrong.code == 78);
  CHECK(lines_with(wrong.error, "did you mean 'epochs'") == 1);
  const auto no_model
    = troupe_program(work.path(), "grid train tiny.yaml +grid_overwrite.model.name=mpl");
  CHECK(no_model.code == 78);
  CHECK(lines_with(no_model.error, "did you mean 'mlp'") == 1);
  CHECK_FALSE(std::filesystem::exists(work.path() / "grids"));
}

TEST_CASE("extensions that no trial can combine are reported once, before the grid has a folder",
          "[M48][P13]") {
  WorkFolder work;
  write_grid(work, "repetitions: 3\n");
  const auto isolate = GENERATE("false", "true");
  const auto ran = troupe_program(
    work.path(), std::string{"grid train tiny.yaml +grid_overwrite.extensions.epochs.type=printing "
                             "+grid_overwrite.extensions.timing.after=[absent] isolate="}
                   + isolate);
  INFO(ran.error);
  CHECK(ran.code == 78);
  CHECK(lines_with(ran.error, "two extensions are called 'epochs'") == 1);
  CHECK(lines_with(ran.error, "'absent', which does not exist") == 1);
  CHECK_FALSE(std::filesystem::exists(work.path() / "grids"));
}

TEST_CASE("a trial with conflicting extensions is refused, and leaves no folder", "[M48][P13]") {
  WorkFolder work;
  write_grid(work, "grid: {extensions.timing.after: [[], [absent]]}\n");
  const auto ran = troupe_program(work.path(), "grid train tiny.yaml");
  INFO(ran.error);
  CHECK(ran.code == 70);
  CHECK_THAT(ran.error, Catch::Contains("was refused, attempt 1: ")
                          && Catch::Contains("2 runs done, 2 failed"));
  CHECK(std::filesystem::exists(work.path() / "grids/tiny/trial-0001-rep-1"));
  CHECK_FALSE(std::filesystem::exists(work.path() / "grids/tiny/trial-0002-rep-1"));
}

TEST_CASE("a run that cannot save fails with its reason, also in its own process", "[B42][M48]") {
  WorkFolder work;
  write_grid(work, "retries: 0\n");
  const auto isolate = GENERATE("false", "true");
  const auto ran = troupe_program(
    work.path(),
    // Enough epochs to last longer than a save.
    std::string{"grid train tiny.yaml grid_overwrite.training.epochs=100000 "
                "'+grid_overwrite.extensions.checkpoint={path: "
                "/proc/none/saved.bin, on_failure: finish, every_n_batches: 1}' isolate="}
      + isolate);
  INFO(isolate << ran.error);
  CHECK(ran.code == 70);
  CHECK_THAT(ran.error, Catch::Contains("0 runs done, 2 failed, 0 left")
                          && Catch::Contains("could not be written: "));
  CHECK(lines_with(contents(work.path() / "grids/tiny/journal"), "\"outcome\":\"failed\"") == 2);
}

TEST_CASE("a trial fails if another process trains in its folder, which is not touched",
          "[M48][lock]") {
  WorkFolder work;
  write_grid(work, "retries: 1\n");
  const auto folder = work.path() / "grids/tiny/trial-0002-rep-1";
  std::filesystem::create_directories(folder);
  troupe::RunLock lock;
  lock.take(folder);
  const auto isolate = GENERATE("false", "true");
  const auto ran
    = troupe_program(work.path(), std::string{"grid train tiny.yaml isolate="} + isolate);
  INFO(isolate << ran.error);
  CHECK(ran.code == 70);
  CHECK_THAT(ran.error, Catch::Contains("1 runs done, 1 failed")
                          && Catch::Contains("process " + std::to_string(getpid()))
                          && Catch::Contains("trains in '"));
  CHECK(std::filesystem::exists(folder / ".lock"));
  CHECK_FALSE(std::filesystem::exists(folder / "result.json"));
}

TEST_CASE("failures with the same reason are reported once, with their number", "[M48]") {
  WorkFolder work;
  write_grid(work, "grid: {optimizer.learning_rate: [0.01, -1]}\nrepetitions: 2\n");
  const auto ran = troupe_program(work.path(), "grid train tiny.yaml");
  CHECK(ran.code == 70);
  CHECK(lines_with(ran.error, "was refused") == 1);
  CHECK(ran.error.find("and 3 more failures for the same reasons") != std::string::npos);
  CHECK(ran.error.find("4 runs done, 4 failed") != std::string::npos);
}

TEST_CASE("the failure of a run in its own process is in its folder and in the journal",
          "[M47][M48]") {
  WorkFolder work;
  write_grid(work, "grid: {optimizer.learning_rate: [0.01, -1]}\nisolate: true\n");
  CHECK(troupe_program(work.path(), "grid train tiny.yaml").code == 70);
  const std::string sentence = "learning_rate of adam is -1";
  CHECK(lines_with(contents(work.path() / "grids/tiny/journal"), sentence) == 2);
  for (const auto* run : {"trial-0002-rep-1", "trial-0004-rep-1"})
    CHECK(lines_with(contents(work.path() / "grids/tiny" / run / "output.txt"), sentence) == 1);
}

TEST_CASE(
  "a grid that is to stop at a failure leaves the other runs, and one without retries tries once",
  "[M48]") {
  WorkFolder work;
  write_grid(work, "");
  const auto ran = troupe_program(
    work.path(), "grid train tiny.yaml at_once=1 retries=0 stop_on_failure=true "
                 "+grid_overwrite.optimizer.name=sgd +grid_overwrite.optimizer.learning_rate=1e38");
  CHECK(ran.code == 70);
  CHECK_THAT(ran.error, Catch::Contains("0 runs done, 1 failed, 1 left"));
  CHECK(lines_with(contents(work.path() / "grids/tiny/journal"), "\"run\"") == 1);
}

TEST_CASE("warnings of a grid's run are in its folder", "[M48]") {
  WorkFolder work;
  write_grid(work, "");
  const auto isolate = GENERATE("false", "true");
  const auto ran = troupe_program(
    work.path(),
    std::string{"grid train tiny.yaml +grid_overwrite.extensions.nan_guard={} isolate="} + isolate);
  INFO(ran.error);
  REQUIRE(ran.code == 0);
  for (const auto* run : {"trial-0001-rep-1", "trial-0002-rep-1"})
    CHECK(lines_with(contents(work.path() / "grids/tiny" / run / "console.log"), "never acts")
          == 1);
}

TEST_CASE("a restarted grid lists failures, and retries them on request", "[M48][M49]") {
  WorkFolder work;
  write_grid(work, "grid: {optimizer.learning_rate: [0.01, -1]}\n");
  REQUIRE(troupe_program(work.path(), "grid train tiny.yaml").code == 70);
  const auto journal = work.path() / "grids/tiny/journal";
  const auto former = contents(journal);
  const auto again = troupe_program(work.path(), "grid train tiny.yaml");
  CHECK(again.code == 70);
  CHECK_THAT(again.error, Catch::Contains("was refused, attempt 1: ")
                            && Catch::Contains("learning_rate of adam is -1")
                            && Catch::Contains("with --failed"));
  CHECK(contents(journal) == former);
  CHECK(troupe_program(work.path(), "grid train tiny.yaml --failed").code == 70);
  CHECK(lines_with(contents(journal), "\"attempt\":2") == 2);
}
