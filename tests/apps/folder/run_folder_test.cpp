#include "apps/folder/run_folder.hpp"
#include "base/files/durable_file.hpp"

#include <catch2/catch.hpp>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

using namespace troupe;
namespace fs = std::filesystem;

namespace {

/// An empty folder, removed at the end of the test.
struct Folder {
  fs::path path = make();
  ~Folder() { fs::remove_all(path); }

  static fs::path make() {
    auto name = (fs::temp_directory_path() / "troupe_run_XXXXXX").string();
    return mkdtemp(name.data());
  }
};

std::string content(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream{path}.rdbuf();
  return text.str();
}

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(
    std::distance(fs::directory_iterator{folder}, fs::directory_iterator{}));
}

RunFolderOptions options(const fs::path& root, const std::string& tag = "") {
  return {.root = root,
          .problem = "mnist",
          .model = "mlp",
          .tag = tag,
          .started = std::chrono::system_clock::from_time_t(1'795'221'990)}; // 2026-11-21 00:46:30
}

} // namespace

TEST_CASE("a run's folder is named after problem, model and start, with its parents",
          "[run_folder][M9]") {
  Folder folder;
  const auto run = create_run_folder(options(folder.path / "deep" / "runs"));
  CHECK(run == folder.path / "deep/runs/mnist/mlp/2026-11-21T00-46-30Z");
  CHECK(fs::is_directory(run));
  CHECK(create_run_folder(options(folder.path, "first try")).filename()
        == "2026-11-21T00-46-30Z-first-try");
}

TEST_CASE("two starts in the same second get two folders", "[run_folder][M9]") {
  Folder folder;
  CHECK(create_run_folder(options(folder.path, "x")).filename() == "2026-11-21T00-46-30Z-x");
  CHECK(create_run_folder(options(folder.path, "x")).filename() == "2026-11-21T00-46-30Z-x-2");
  CHECK(create_run_folder(options(folder.path, "x")).filename() == "2026-11-21T00-46-30Z-x-3");
}

TEST_CASE("starts at the same moment never share a folder", "[run_folder][M9]") {
  Folder folder;
  constexpr std::size_t starts = 8, each = 20;
  std::vector<std::vector<fs::path>> made(starts);
  std::vector<std::thread> threads;
  for (auto& mine : made)
    threads.emplace_back([&] {
      for (std::size_t i = 0; i < each; ++i)
        mine.push_back(create_run_folder(options(folder.path)));
    });
  for (auto& thread : threads)
    thread.join();
  std::set<fs::path> all;
  for (const auto& mine : made)
    all.insert(mine.begin(), mine.end());
  CHECK(all.size() == starts * each);
}

TEST_CASE("names cannot leave the folder of runs", "[run_folder][M9]") {
  CHECK(as_file_name("../../etc/passwd") == "-..-etc-passwd");
  CHECK(as_file_name("..") == "unnamed");
  CHECK(as_file_name(".hidden") == "hidden");
  CHECK(as_file_name("") == "unnamed");
  CHECK(as_file_name("a b//c\n") == "a-b-c-");
  CHECK(as_file_name("mlp-2.1_x") == "mlp-2.1_x");
  CHECK(as_file_name(std::string(5000, 'x')).size() == 100);
  CHECK(as_file_name(std::string("a\0b", 3)) == "a-b");
  Folder folder;
  auto evil = options(folder.path / "runs");
  evil.problem = "../../x";
  evil.model = "/tmp";
  const auto run = create_run_folder(evil);
  CHECK(*run.lexically_relative(folder.path).begin() == "runs");
}

TEST_CASE("the error for a folder that cannot be created names its path", "[run_folder][M9]") {
  Folder folder;
  std::ofstream{folder.path / "runs"} << "a file";
  try {
    create_run_folder(options(folder.path / "runs"));
    FAIL("nothing was thrown");
  } catch (const IoError& error) {
    CHECK_THAT(error.what(), Catch::StartsWith("cannot create '" + folder.path.string()));
    CHECK(error.code() == ExitCode::io);
  }
}

TEST_CASE("latest points to the newest run and moves with its parent", "[run_folder]") {
  Folder folder;
  const auto runs = folder.path / "runs";
  for (int i = 0; i < 3; ++i) {
    const auto run = create_run_folder(options(runs));
    point_latest(runs, run);
    CHECK(fs::equivalent(runs / "latest", run));
  }
  CHECK(fs::read_symlink(runs / "latest") == "mnist/mlp/2026-11-21T00-46-30Z-3");
  CHECK(files_in(runs) == 2);
  point_latest(runs, folder.path);
  CHECK(fs::read_symlink(runs / "latest") == folder.path);
}

TEST_CASE("a folder called latest is left alone", "[run_folder]") {
  Folder folder;
  fs::create_directories(folder.path / "latest" / "mine");
  CHECK_THROWS_AS(point_latest(folder.path, folder.path / "x"), std::runtime_error);
  CHECK(fs::is_directory(folder.path / "latest" / "mine"));
  CHECK(files_in(folder.path) == 1);
}

TEST_CASE("a written file replaces the old one and leaves nothing beside it", "[run_folder]") {
  Folder folder;
  const auto path = folder.path / "config.yaml";
  write_file(path, "old");
  write_file(path, std::string(1 << 20, 'x'));
  CHECK(content(path) == std::string(1 << 20, 'x'));
  write_file(path, "");
  CHECK(content(path).empty());
  CHECK(files_in(folder.path) == 1);
}

TEST_CASE("a leftover file of a process with the same id is no obstacle", "[run_folder]") {
  Folder folder;
  const auto prefix = ".config.yaml." + std::to_string(getpid()) + ".";
  for (int i = 0; i < 300; ++i)
    std::ofstream{folder.path / (prefix + std::to_string(i))} << "half";
  write_file(folder.path / "config.yaml", "whole");
  CHECK(content(folder.path / "config.yaml") == "whole");
}

TEST_CASE("a write that fails keeps the old file and says why", "[run_folder]") {
  Folder folder;
  const auto path = folder.path / "config.yaml";
  write_file(path, "old");
  CHECK_THROWS_WITH(write_file(folder.path / "absent" / "x", "new"),
                    Catch::Contains("absent/x': No such file"));
  // A file size limit stands for a full disk; it is set in a child, since it applies to a process.
  const auto child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    rlimit limit{1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    try {
      write_file(path, std::string(5000, 'x'));
    } catch (const IoError&) {
      _exit(7);
    }
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WEXITSTATUS(status) == 7);
  CHECK(content(path) == "old");
  CHECK(files_in(folder.path) == 1);
}
