#include "base/failure.hpp"
#include "base/files/spill_file.hpp"
#include "tests/support/data_files.hpp"

#include <catch2/catch.hpp>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>

using namespace troupe;
using Catch::Matchers::Contains;

TEST_CASE("memory of a spill file is zero, and keeps what is written to it", "[spill_file]") {
  const test::DataFolder folder;
  SpillFile file(folder.path(""), 10000);
  auto* const first = file.take(5000);
  auto* const second = file.take(1);
  CHECK(std::all_of(first, first + 5000, [](std::byte b) { return b == std::byte{0}; }));
  std::fill_n(first, 5000, std::byte{7});
  *second = std::byte{8};
  file.count_use(9000);
  file.count_use(9000); // now all pages leave the memory
  CHECK(std::count(first, first + 5000, std::byte{7}) == 5000);
  CHECK(*second == std::byte{8});
  file.expect_any_order();
  std::array<std::byte, 2> bytes{};
  file.read(first + 4998, bytes);
  CHECK(bytes == std::array{std::byte{7}, std::byte{7}});
  const auto before = file.size();
  file.give_back(first, 5000);
  CHECK(file.size() < before);
  CHECK(*second == std::byte{8});
}

TEST_CASE("a spill file leaves nothing in its folder, even while it is open", "[spill_file]") {
  const test::DataFolder folder;
  SpillFile file(folder.path(""), 10000);
  file.take(5000);
  CHECK(std::filesystem::is_empty(folder.path("")));
}

TEST_CASE("a spill file that cannot be made or grow is refused", "[spill_file]") {
  CHECK_THAT(test::sentence_of<IoError>([] { SpillFile("/none", 1); }),
             Contains("cannot make a temporary file in /none: No such file")
               && Contains("set TMPDIR to a folder on a disk with room"));
  const test::DataFolder folder;
  SpillFile file(folder.path(""), 10000);
  auto* const first = file.take(5000);
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit little{1 << 16, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &little);
  const auto refusal = test::sentence_of<IoError>([&] { file.take(1 << 20); });
  setrlimit(RLIMIT_FSIZE, &before);
  CHECK_THAT(refusal, Contains("cannot write 1.1 MB into a temporary file in")
                        && Contains("free space there, or set TMPDIR"));
  *first = std::byte{1};
  // cure: ; set TMPDIR to a folder on a disk with room
  const auto* const old = std::getenv("TMPDIR");
  const auto kept = old != nullptr ? std::optional<std::string>{old} : std::nullopt;
  setenv("TMPDIR", folder.path("").c_str(), 1);
  CHECK_NOTHROW(SpillFile(SpillFile::usual_folder(), 1).take(1 << 20));
  kept ? setenv("TMPDIR", kept->c_str(), 1) : unsetenv("TMPDIR");
}
