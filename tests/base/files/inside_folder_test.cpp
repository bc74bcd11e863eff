#include "base/files/inside_folder.hpp"
#include "tests/support/program.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using namespace troupe::test;

TEST_CASE("a path within a folder stays inside, whether it exists or not", "[inside_folder]") {
  WorkFolder work;
  std::filesystem::create_directory(work.path() / "models");
  for (const auto* path : {"a.bin", "models/a.bin", "new/deep/a.bin", "models/../a.bin", "."}) {
    INFO(path);
    CHECK(stays_inside(work.path(), path));
  }
}

TEST_CASE("a path that leads out of a folder does not stay inside", "[inside_folder]") {
  WorkFolder work, other;
  const auto run = work.path() / "run";
  std::filesystem::create_directory(run);
  std::filesystem::create_directory(work.path() / "run-2");
  std::filesystem::create_symlink(other.path(), run / "link");
  std::filesystem::create_symlink(other.path() / "nothing", run / "dangling");
  for (const auto& path :
       {std::string{"/tmp/a.bin"}, (run / "a.bin").string(), std::string{".."},
        std::string{"../run-2/a.bin"}, std::string{"models/../../a.bin"}, std::string{"link/a.bin"},
        std::string{"link"}, std::string{"dangling"}, std::string{"dangling/a.bin"}}) {
    INFO(path);
    CHECK_FALSE(stays_inside(run, path));
  }
  CHECK_FALSE(stays_inside(work.path() / "missing", "a.bin"));
}
