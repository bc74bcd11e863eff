#include "base/crc32c.hpp"
#include "base/files/head_checksum.hpp"

#include <catch2/catch.hpp>

#include <sstream>

using namespace troupe;

TEST_CASE("the checksum of a file's head is the same after the file has grown", "[files]") {
  std::istringstream before{"one\n"}, after{"one\ntwo\n"};
  CHECK(head_checksum(before, 4) == crc32c("one\n"));
  CHECK(head_checksum(after, 4) == crc32c("one\n"));
}

TEST_CASE("a file that is shorter than the head has another checksum, and can be read on",
          "[files]") {
  std::istringstream file{"on"};
  CHECK(head_checksum(file, 4) == crc32c("on"));
  CHECK(file.good());
}

TEST_CASE("only the first 4096 bytes of a file count for the checksum of its head", "[files]") {
  const std::string head(4096, 'a');
  std::istringstream file{head + "b"};
  CHECK(head_checksum(file, 4097) == crc32c(head));
}
