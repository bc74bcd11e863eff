#include "base/files/copied_folder.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/full_disk.hpp"
#include "tests/support/program.hpp"

#include <atomic>
#include <thread>

using namespace troupe;

namespace {

struct CopyScene {
  test::DataFolder work;
  std::string from = work.path("from"), to = work.path("to");

  CopyScene() {
    std::filesystem::create_directories(from + "/models");
    std::ofstream{from + "/state.bin"} << "1";
    std::ofstream{from + "/models/best.bin"} << std::string(3'000'000, 'x');
  }
};

} // namespace

TEST_CASE("a copied folder has all files and folders", "[M49]") {
  const CopyScene scene;
  copy_folder(scene.from, scene.to);
  CHECK(test::contents(scene.to + "/state.bin") == "1");
  CHECK(test::contents(scene.to + "/models/best.bin") == std::string(3'000'000, 'x'));
}

TEST_CASE("files that vanish are left out of a copied folder", "[M49]") {
  const CopyScene scene;
  std::filesystem::create_symlink("gone", scene.from + "/gone.bin");
  copy_folder(scene.from, scene.to);
  CHECK(test::contents(scene.to + "/state.bin") == "1");
  CHECK_FALSE(std::filesystem::exists(scene.to + "/gone.bin"));
}

TEST_CASE("a folder that is written during its copy has each file complete", "[M49]") {
  const CopyScene scene;
  std::atomic<bool> over = false;
  std::thread writer{[&] {
    for (auto letter = 'A'; !over; letter = letter == 'Z' ? 'A' : static_cast<char>(letter + 1)) {
      const auto fresh = scene.from + "/models/." + letter;
      std::ofstream{fresh} << std::string(100'000, letter);
      std::filesystem::rename(fresh, scene.from + "/models/best.bin");
    }
  }};
  auto whole = 0;
  constexpr auto copies = 20;
  for (auto i = 0; i < copies; ++i) {
    const auto to = scene.to + std::to_string(i);
    copy_folder(scene.from, to);
    const auto text = test::contents(to + "/models/best.bin");
    const auto size = text.front() == 'x' ? 3'000'000 : 100'000;
    whole += text == std::string(size, text.front()) ? 1 : 0;
  }
  over = true;
  writer.join();
  CHECK(whole == copies);
}

TEST_CASE("a file that cannot be copied is named, with the reason", "[M49]") {
  const CopyScene scene;
  SECTION("on a full disk") {
    const test::FullDisk full{1'000'000};
    CHECK_THROWS_WITH(copy_folder(scene.from, scene.to),
                      Catch::Contains("to/models/best.bin': File too large; check the free space"));
  }
  SECTION("where a folder has the name of a file") {
    std::filesystem::create_directories(scene.to + "/state.bin/x");
    CHECK_THROWS_WITH(copy_folder(scene.from, scene.to), Catch::Contains("state.bin': "));
  }
  SECTION("where it cannot be read") {
    std::filesystem::create_symlink("/proc/self/mem", scene.from + "/broken.bin");
    CHECK_THROWS_WITH(
      copy_folder(scene.from, scene.to),
      Catch::Contains("from/broken.bin': Input/output error; check the free space"));
    std::filesystem::remove(scene.from + "/broken.bin");
  }
  std::filesystem::remove_all(scene.to);
  // cure: ; check the free space and the permissions
  CHECK_NOTHROW(copy_folder(scene.from, scene.to));
}
