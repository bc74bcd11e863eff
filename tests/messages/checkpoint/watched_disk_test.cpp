// Each synchronisation that makes files durable fails a test if it is left out.
#include "base/files/durable_file.hpp"
#include "base/files/private_files.hpp"
#include "base/files/synchronising_pause.hpp"
#include "messages/checkpoint/saved_run.hpp"
#include "messages/grid/grid_journal.hpp"
#include "tests/support/program.hpp"
#include "tests/support/watched_disk.hpp"

#include <catch2/catch.hpp>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>

using namespace troupe;
using namespace troupe::test;

namespace {

WatchedDisk* watched = nullptr;

int synchronise_noting(int descriptor, long call) {
  if (const auto error = watched == nullptr ? 0 : watched->note(descriptor); error != 0) {
    errno = error;
    return -1;
  }
  return static_cast<int>(syscall(call, descriptor));
}

} // namespace

extern "C" int fsync(int descriptor) { return synchronise_noting(descriptor, SYS_fsync); }
extern "C" int fdatasync(int descriptor) { return synchronise_noting(descriptor, SYS_fdatasync); }

WatchedDisk::WatchedDisk() { watched = this; }
WatchedDisk::~WatchedDisk() { watched = nullptr; }

int WatchedDisk::note(int descriptor) {
  const auto path = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(descriptor));
  if (before)
    before(path);
  synchronised.push_back(path);
  std::error_code none;
  return std::filesystem::equivalent(path, refused, none) ? EIO : 0;
}

TEST_CASE("a file is on disk before it gets its name, and the name before the call returns",
          "[durable_file]") {
  WorkFolder work;
  const auto file = work.path() / "state.bin";
  write_file(file, "old");
  std::vector<std::string> contents_then;
  WatchedDisk disk;
  disk.before = [&](const auto&) { contents_then.push_back(contents(file)); };
  write_file(file, "new");
  REQUIRE(disk.synchronised.size() == 2);
  CHECK(final_name(disk.synchronised[0].filename().native()) == "state.bin");
  CHECK(disk.synchronised[1] == std::filesystem::canonical(work.path()));
  CHECK(contents_then == std::vector<std::string>{"old", "new"});
}

TEST_CASE("states of runs and of holders are on disk when they are saved", "[durable_file]") {
  WorkFolder work;
  SavedRun run;
  run.trainers.emplace_back();
  WatchedDisk disk;
  save_run(work.path() / "checkpoint.bin", run);
  CHECK(disk.synchronised.size() == 2);
  save_holder(work.path() / "holder.bin", {});
  CHECK(disk.synchronised.size() == 4);
}

TEST_CASE("a file that the disk refuses is not written, and the previous one stays",
          "[durable_file]") {
  WorkFolder work;
  const auto file = work.path() / "state.bin";
  write_file(file, "old");
  WatchedDisk disk;
  disk.before = [&](const auto& path) { disk.refused = path; };
  CHECK_THROWS_WITH(write_file(file, "new"), Catch::Contains("cannot write '" + file.string()));
  CHECK(contents(file) == "old");
  CHECK(disk.synchronised.size() == 1); // a second attempt would succeed and report nothing
  CHECK(std::distance(std::filesystem::directory_iterator{work.path()}, {}) == 1);
}

TEST_CASE("a name that the disk refuses to keep is also a failure", "[durable_file]") {
  WorkFolder work;
  WatchedDisk disk;
  disk.refused = work.path();
  CHECK_THROWS_AS(write_file(work.path() / "state.bin", "new"), IoError);
}

TEST_CASE("temporary files do not wait for the disk", "[durable_file]") {
  WorkFolder work;
  WatchedDisk disk;
  const SynchronisingPause pause{true};
  write_file(work.path() / "result.json", "{}");
  make_private_folder(work.path() / "a/b");
  CHECK(disk.synchronised.empty());
}

TEST_CASE("each new folder is synchronised in its parent", "[private_files]") {
  WorkFolder work;
  const auto root = std::filesystem::canonical(work.path());
  WatchedDisk disk;
  make_private_folder(root / "runs/digits/mlp");
  CHECK(disk.synchronised
        == std::vector<std::filesystem::path>{root, root / "runs", root / "runs/digits"});
  make_private_folder(root / "runs/digits/mlp");
  CHECK(disk.synchronised.size() == 3);
  disk.refused = root / "runs";
  CHECK_THROWS_AS(make_private_folder(root / "runs/iris"), IoError);
}

TEST_CASE("a line of a journal is on disk once it is synchronised", "[grid_journal]") {
  WorkFolder work;
  JournalFile journal{work.path() / "journal.jsonl", JournalSync::always};
  WatchedDisk disk;
  journal.append(journal_line(TrialEnded{}));
  CHECK(disk.synchronised.size() == 1);
}

TEST_CASE("a journal accepts no more lines once the disk has refused one", "[grid_journal]") {
  WorkFolder work;
  const auto path = work.path() / "journal.jsonl";
  JournalFile journal{path, JournalSync::always};
  WatchedDisk disk;
  disk.refused = path;
  CHECK_THROWS_AS(journal.append(journal_line(TrialEnded{})), IoError);
  disk.refused.clear(); // as Linux does after it has reported a failure
  CHECK_THROWS_AS(journal.append(journal_line(TrialEnded{})), IoError);
  CHECK(disk.synchronised.size() == 1);
}
