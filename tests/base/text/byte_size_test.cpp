#include "base/text/byte_size.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

TEST_CASE("sizes are read as people write them", "[byte_size]") {
  CHECK(byte_size_in("512MB") == 512'000'000);
  CHECK(byte_size_in("1.5 GB") == 1'500'000'000);
  CHECK(byte_size_in("64 KiB") == 65536);
  CHECK(byte_size_in("2g") == 2'000'000'000);
  CHECK(byte_size_in("1TiB") == std::uint64_t{1} << 40);
  CHECK(byte_size_in("4096") == 4096);
  CHECK(byte_size_in("4096 B") == 4096);
}

TEST_CASE("what is no size is not read as one", "[byte_size]") {
  for (const auto* text :
       {"", "MB", "-1MB", "1 XB", "1 kMB", "1MB2", "1e99", "9999999TB", "i", "1i"})
    CHECK_FALSE(byte_size_in(text));
}
