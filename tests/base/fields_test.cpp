#include "base/fields.hpp"

#include <catch2/catch.hpp>

namespace troupe::fields_test {

using troupe::operator==; // of TROUPE_FIELDS; Catch looks for it only where the struct is

struct Reading {
  int sensor = 0;
  double value = 0;
  std::string unit;
  // clang-format off
  TROUPE_FIELDS(sensor,
         value, unit);
  // clang-format on
};

} // namespace troupe::fields_test

using namespace troupe;
using troupe::fields_test::Reading;

TEST_CASE("the names that a struct lists are split, wherever its lines break", "[fields]") {
  CHECK(split_names(Reading::field_names) == std::vector<std::string>{"sensor", "value", "unit"});
  CHECK(split_names("a,\n\tb_c ,d") == std::vector<std::string>{"a", "b_c", "d"});
  CHECK(split_names("alone") == std::vector<std::string>{"alone"});
  CHECK(split_names("").empty());
}

TEST_CASE("fields are passed on in order, and can be changed in place", "[fields]") {
  Reading reading{3, 0.5, "V"};
  reading.with_fields([](int& sensor, double& value, std::string& unit) {
    sensor += 1;
    value *= 2;
    unit = "m" + unit;
  });
  CHECK(reading == Reading{4, 1, "mV"});
}

TEST_CASE("structs are equal if all of their fields are", "[fields]") {
  const Reading reading{3, 0.5, "V"};
  CHECK(reading == Reading{3, 0.5, "V"});
  CHECK_FALSE(reading == Reading{4, 0.5, "V"});
  CHECK_FALSE(reading == Reading{3, 0.25, "V"});
  CHECK_FALSE(reading == Reading{3, 0.5, "A"});
}
