#include "base/files/durable_file.hpp"
#include "base/files/file_content.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

TEST_CASE("the content of a file is all of its bytes", "[files]") {
  const auto path = std::filesystem::temp_directory_path() / "troupe_file_content_test";
  const std::string bytes{"a\r\n\0b\n", 6};
  write_file(path, bytes);
  CHECK(file_content(path) == bytes);
  write_file(path, "");
  CHECK(file_content(path) == "");
  std::filesystem::remove(path);
  CHECK_FALSE(file_content(path));
}

TEST_CASE("a file without a size is read to its end", "[files]") {
  CHECK(file_content("/proc/self/status")->starts_with("Name:"));
}
