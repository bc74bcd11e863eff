#include "base/files/line_file.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/full_disk.hpp"

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace troupe;
using namespace troupe::test;

namespace {

int open_to_append(const std::string& path) {
  return ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
}

std::string contents_of(const std::string& path) {
  std::ifstream file{path};
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

} // namespace

TEST_CASE("on a full disk complete lines stay, and no line is cut in two", "[logger]") {
  const DataFolder folder;
  const auto path = folder.path("lines");
  LineFile file{open_to_append(path)};
  REQUIRE(file.append("first\n") == 6);
  for (const rlim_t room : {0, 3, 6}) {
    const FullDisk full{6 + room};
    errno = 0;
    CHECK(file.append("second\nthird\n") == 0);
    CHECK(errno == EFBIG);
    CHECK(contents_of(path) == "first\n");
  }
  {
    const FullDisk full{6 + 11};
    CHECK(file.append("second\nthird\n") == 7);
  }
  CHECK(file.append("third\n") == 6);
  CHECK(contents_of(path) == "first\nsecond\nthird\n");
}

TEST_CASE("a new line does not continue half a line of a killed process", "[logger]") {
  const DataFolder folder;
  const auto path = folder.path("lines");
  std::ofstream{path} << "first\nsec";
  LineFile{open_to_append(path)}.append("third\n");
  LineFile{open_to_append(path)}.append("fourth\n");
  CHECK(contents_of(path) == "first\nsec\nthird\nfourth\n");
}

TEST_CASE("lines can be written to a pipe", "[logger]") {
  std::array<int, 2> pipe{};
  REQUIRE(::pipe(pipe.data()) == 0);
  LineFile file{pipe[1]};
  CHECK(file.append("first\n") == 6);
  std::array<char, 16> read{};
  CHECK(::read(pipe[0], read.data(), read.size()) == 6);
  ::close(pipe[0]);
}
