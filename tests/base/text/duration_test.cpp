#include "base/text/duration.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>
#include <stdexcept>

using namespace troupe;
using namespace std::chrono_literals;

namespace {

double seconds(std::string_view text) { return parse_duration(text).count(); }

} // namespace

TEST_CASE("a duration is a number and a unit, seconds without one", "[duration][L21][parser]") {
  CHECK(seconds("90") == 90);
  CHECK(seconds("90s") == 90);
  CHECK(seconds("250ms") == 0.25);
  CHECK(seconds("15m") == 900);
  CHECK(seconds("12h") == 43200);
  CHECK(seconds("1.5h") == 5400);
  CHECK(seconds("2d") == 172800);
  CHECK(seconds("1.5 h") == 5400);
  CHECK(seconds("0") == 0);
  CHECK(std::isinf(seconds("inf")));
}

TEST_CASE("a walltime is read as Legion and Slurm write it", "[duration][L21][parser]") {
  CHECK(seconds("12:00:00") == 43200);
  CHECK(seconds("01:02:03") == 3723);
  CHECK(seconds("1:02:03") == 3723);
  CHECK(seconds("1:2:3") == 3723);
  CHECK(seconds("100:00:00") == 360000);
  CHECK(seconds("1-12:00:00") == 129600);
  CHECK(seconds("0-00:00:01") == 1);
}

TEST_CASE("a text that is not a duration is refused with what to write",
          "[duration][L21][parser]") {
  for (auto text : {"",
                    " ",
                    "soon",
                    "h",
                    "-1",
                    "-1h",
                    "+5",
                    "1x",
                    "1h30m",
                    "12:00",
                    "12:60:00",
                    "12:00:60",
                    "12:000:00",
                    "1:2:3:4",
                    "::",
                    "1::2",
                    "1-24:00:00",
                    "1-2",
                    "-1:00:00",
                    "1:-2:00",
                    "1--1:00:00",
                    "nan",
                    "nans",
                    "1e400",
                    "1e308d",
                    "0x10",
                    ".5s",
                    "inf s",
                    "99999999999999999999:00:00",
                    "12:00:00 ",
                    "١٢:00:00"}) {
    CAPTURE(text);
    CHECK_THROWS_WITH(parse_duration(text),
                      Catch::Contains("is not a duration; write it like 90s"));
  }
  CHECK_THROWS_WITH(parse_duration("soon\n"), Catch::StartsWith("'soon?' is not"));
}

TEST_CASE("a duration is printed in the largest unit that divides it", "[duration]") {
  CHECK(print_duration(12h) == "12h");
  CHECK(print_duration(90s) == "90s");
  CHECK(print_duration(90min) == "90m");
  CHECK(print_duration(250ms) == "250ms");
  CHECK(print_duration(1500ms) == "1.5s");
  CHECK(print_duration(36h) == "36h");
  CHECK(print_duration(1us) == "1e-06s");
  CHECK(print_duration(48h) == "2d");
  CHECK(print_duration(0s) == "0s");
  CHECK(print_duration(parse_duration("inf")) == "inf");
}

TEST_CASE("a printed duration is read back bit for bit", "[duration]") {
  std::mt19937_64 random{1};
  for (int i = 0; i < 20'000; ++i) {
    const double value
      = std::ldexp(static_cast<double>(random()), -static_cast<int>(random() % 120));
    const auto text = print_duration(std::chrono::duration<double>{value});
    CAPTURE(text);
    REQUIRE(seconds(text) == value);
  }
}

TEST_CASE("any bytes are a duration or refused", "[duration][L21][parser]") {
  std::mt19937 random{2};
  const std::string_view letters = "0123456789:-.+ehmsdinf \xff";
  int read = 0;
  for (int i = 0; i < 50'000; ++i) {
    std::string text;
    for (auto n = random() % 10; n > 0; --n)
      text += letters[random() % letters.size()];
    double length = 0;
    try {
      length = seconds(text);
      ++read;
    } catch (const std::invalid_argument&) {
    }
    REQUIRE(length >= 0);
  }
  CHECK(read > 100);
}

TEST_CASE("a walltime has the form that schedulers accept, and is rounded up", "[duration]") {
  CHECK(clock_text(12h) == "12:00:00");
  CHECK(clock_text(36h + 5s) == "36:00:05");
  CHECK(clock_text(1ms) == "0:00:01");
  CHECK(clock_text(-5s) == "0:00:00");
  CHECK(clock_text(parse_duration("inf")) == "inf");
  CHECK(seconds(clock_text(3723s)) == 3723);
}

TEST_CASE("a measured duration is printed to a tenth of a second", "[duration]") {
  CHECK(rounded_length(1.6823934260000897) == "1.7s");
  CHECK(rounded_length(0.3) == "300ms");
  CHECK(rounded_length(119.96) == "2m");
}

TEST_CASE("a timer counts a duration in nanoseconds, and an infinite one as many years",
          "[duration]") {
  CHECK(timespan_of(1.5) == 1500ms);
  CHECK(timespan_of(0) == 0ns);
  CHECK(timespan_of(std::numeric_limits<double>::infinity()) == 1'000'000'000s);
}
