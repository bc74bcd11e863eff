#include "base/crc32c.hpp"
#include "model/formats/event_file.hpp"
#include "tests/support/program.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace troupe;
using namespace troupe::test;

TEST_CASE("CRC-32C checksums are those of RFC 3720", "[M35]") {
  CHECK(crc32c(std::string(32, '\0')) == 0x8a9136aa);
  CHECK(crc32c(std::string(32, '\xff')) == 0x62a8ab43);
  CHECK(crc32c("123456789") == 0xe3069283);
  CHECK(crc32c("") == 0);
}

TEST_CASE("a record has its length and its data with masked checksums", "[M35]") {
  const auto record = tf_record("abc");
  CHECK(record.size() == 8 + 4 + 3 + 4);
  CHECK(record.substr(0, 8) == std::string("\x03\0\0\0\0\0\0\0", 8));
  CHECK(record.substr(12, 3) == "abc");
  const auto crc = crc32c("abc");
  const auto masked = (crc >> 15 | crc << 17) + 0xa282ead8;
  for (std::size_t i = 0; i < 4; ++i)
    CHECK(static_cast<std::uint8_t>(record[15 + i]) == (masked >> 8 * i & 0xff));
}

TEST_CASE("a histogram counts every finite number once", "[M35]") {
  const auto histogram
    = event_histogram(std::vector<float>{-1, 0, 0.5f, 1, 1, 3, std::nanf(""), INFINITY}, 4);
  CHECK(histogram.minimum == -1);
  CHECK(histogram.maximum == 3);
  CHECK(histogram.count == 6);
  CHECK(histogram.sum == 4.5);
  CHECK(histogram.sum_of_squares == 12.25);
  CHECK(histogram.limits == std::vector<double>{0, 1, 2, 3});
  CHECK(histogram.buckets == std::vector<double>{1, 2, 2, 1});
}

TEST_CASE("a histogram may have one number or none", "[M35]") {
  const auto one = event_histogram(std::vector<float>{2, 2}, 3);
  CHECK(one.buckets == std::vector<double>{2, 0, 0});
  CHECK(one.limits == std::vector<double>{2, 2, 2});
  CHECK(event_histogram({}, 3).limits.empty());
}

TEST_CASE("two event files within one second are two files", "[M35]") {
  const WorkFolder work;
  EventFile first{work.path() / "training", 1e9}, second{work.path() / "training", 1e9};
  CHECK(std::filesystem::exists(work.path() / "training/events.out.tfevents.1000000000.0"));
  CHECK(std::filesystem::exists(work.path() / "training/events.out.tfevents.1000000000.1"));
  CHECK_THROWS_WITH(EventFile("/dev/null/x", 1), Catch::Contains("/dev/null/x"));
}
