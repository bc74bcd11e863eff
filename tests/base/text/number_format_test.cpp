#include "base/text/number_format.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace troupe;

TEST_CASE("a number is written as Python's format strings say", "[M30]") {
  CHECK(NumberFormat{"{:12.10f}"}(0.5) == "0.5000000000");
  CHECK(NumberFormat{"{:12.3f}"}(-0.5) == "      -0.500");
  CHECK(NumberFormat{"{:06d}"}(7) == "000007");
  CHECK(NumberFormat{"{:02d}"}(123) == "123");
  CHECK(NumberFormat{"{:d}"}(2.6) == "3");
  CHECK(NumberFormat{"{:.2e}"}(1234) == "1.23e+03");
  CHECK(NumberFormat{"{:g}"}(0.25) == "0.25");
  CHECK(NumberFormat{"{}"}(0.1) == "0.1");
  CHECK(NumberFormat{}(1e300) == "1e+300");
}

TEST_CASE("numbers that are not finite have a word in every format", "[M30]") {
  for (const auto* format : {"{:12.10f}", "{:06d}", "{}"}) {
    CHECK(NumberFormat{format}(std::nan("")) == "nan");
    CHECK(NumberFormat{format}(-INFINITY) == "-inf");
  }
}

TEST_CASE("a text that is no number format is refused with an example", "[M30]") {
  for (const auto* text : {"", "{", "{:}", "{:s}", "{:12.f}", "{:.100f}", "{:123d}", "%d", "{:d}x"})
    CHECK_THROWS_WITH(NumberFormat{text}, Catch::Contains("{:12.10f}"));
  // cure: is not a number format; write it like {:06d}, {:12.10f}, {:.3e}, {:g} or {}
  for (const auto* text : {"{:06d}", "{:12.10f}", "{:.3e}", "{:g}", "{}"})
    CHECK_NOTHROW(NumberFormat{text});
}
