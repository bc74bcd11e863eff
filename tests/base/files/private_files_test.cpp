#include "base/files/durable_file.hpp"
#include "base/files/private_files.hpp"
#include "tests/support/program.hpp"

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <sys/stat.h>

using namespace troupe;
using namespace troupe::test;

namespace {

/// While it lives, the process's umask allows everything.
struct OpenMask {
  ~OpenMask() { umask(before); }
  const mode_t before = umask(0);
};

mode_t mode_of(const std::filesystem::path& path) {
  struct stat status {};
  REQUIRE(stat(path.c_str(), &status) == 0);
  return status.st_mode & 07777;
}

} // namespace

TEST_CASE("a run's files and folders are private to their owner, whatever the umask",
          "[private_files]") {
  WorkFolder work;
  const OpenMask open;
  make_private_folder(work.path() / "runs/digits");
  write_file(work.path() / "runs/digits/state.bin", "x");
  close(open_private(work.path() / "runs/log.jsonl", O_WRONLY | O_APPEND));
  CHECK(mode_of(work.path() / "runs") == 0700);
  CHECK(mode_of(work.path() / "runs/digits") == 0700);
  CHECK(mode_of(work.path() / "runs/digits/state.bin") == 0600);
  CHECK(mode_of(work.path() / "runs/log.jsonl") == 0600);
}

TEST_CASE("a file that is meant for others obeys the umask", "[private_files]") {
  WorkFolder work;
  const OpenMask open;
  umask(022);
  write_file(work.path() / "model.onnx", "x", Readers::all);
  CHECK(mode_of(work.path() / "model.onnx") == 0644);
}

TEST_CASE("a link is not followed, and the message says what to do", "[private_files]") {
  WorkFolder work;
  std::ofstream{work.path() / "precious"} << "mine";
  std::filesystem::create_symlink("precious", work.path() / "console.log");
  CHECK(open_private(work.path() / "console.log", O_WRONLY | O_TRUNC) < 0);
  CHECK_THAT(reason_of_open(errno),
             Catch::Contains("symbolic link") && Catch::Contains("remove it"));
  CHECK(contents(work.path() / "precious") == "mine");
}

TEST_CASE("a folder that cannot be created is reported", "[private_files]") {
  WorkFolder work;
  std::ofstream{work.path() / "runs"} << "a file";
  CHECK_THROWS_WITH(make_private_folder(work.path() / "runs"),
                    Catch::Contains("cannot make the folder")
                      && Catch::Contains("Not a directory"));
  CHECK_THROWS_AS(make_private_folder(work.path() / "runs/digits"), IoError);
}
