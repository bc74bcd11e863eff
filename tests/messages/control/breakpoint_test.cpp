#include "messages/control/breakpoint.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <stdexcept>

using namespace troupe;
using Catch::Contains;

namespace {

Records loss_of(double loss) { return {{"loss", Value{loss}}}; }

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

} // namespace

TEST_CASE("a condition compares a named value with a number", "[breakpoint]") {
  const auto above = parse_breakpoint("gradient_norm > 10");
  CHECK(above.name == "gradient_norm");
  CHECK(above.text == "gradient_norm > 10");
  CHECK(above.holds(10.5));
  CHECK_FALSE(above.holds(10));
  CHECK_FALSE(above.holds(nan_value));
  CHECK(parse_breakpoint("loss>=1e-3").holds(1e-3));
  CHECK(parse_breakpoint("loss <= 2").holds(2));
  CHECK_FALSE(parse_breakpoint("loss < 2").holds(2));
  CHECK(parse_breakpoint(" batch == 40 ").holds(40));
  CHECK(parse_breakpoint("epoch != 0").holds(1));
}

TEST_CASE("a condition asks whether a value is a number at all", "[breakpoint]") {
  CHECK(parse_breakpoint("loss is nan").holds(nan_value));
  CHECK_FALSE(parse_breakpoint("loss is nan").holds(inf));
  CHECK(parse_breakpoint("loss is NaN").text == "loss is nan");
  CHECK(parse_breakpoint("loss is infinite").holds(-inf));
  CHECK(parse_breakpoint("loss is not finite").holds(inf));
  CHECK(parse_breakpoint("loss is not finite").holds(nan_value));
  CHECK_FALSE(parse_breakpoint("loss is not finite").holds(1));
}

TEST_CASE("a text that is no condition is refused with an example", "[breakpoint]") {
  for (const auto* text : {"", "loss", "> 3", "loss >", "loss > much", "loss > nan", "loss is",
                           "loss is large", "is nan", "training loss > 3"})
    CHECK_THROWS_WITH(parse_breakpoint(text), Contains("write it like 'loss is nan'"));
}

TEST_CASE("the first breakpoint that a batch meets is reported with its value", "[breakpoint]") {
  Breakpoints breakpoints;
  CHECK_FALSE(breakpoints.met(loss_of(3), 0, 1));
  CHECK(breakpoints.add(parse_breakpoint("loss < 1"), "ann") == 1);
  CHECK(breakpoints.add(parse_breakpoint("loss > 2"), "bob") == 2);
  CHECK_FALSE(breakpoints.met(loss_of(1.5), 0, 1));
  const auto hit = breakpoints.met(loss_of(3), 0, 2);
  REQUIRE(hit);
  CHECK(hit->number == 2);
  CHECK(hit->text == "loss > 2");
  CHECK(hit->value == 3);
}

TEST_CASE("a batch meets a breakpoint once, the next one and another worker again",
          "[breakpoint]") {
  Breakpoints breakpoints;
  breakpoints.add(parse_breakpoint("loss > 2"), "ann");
  CHECK(breakpoints.met(loss_of(3), 0, 5));
  CHECK_FALSE(breakpoints.met(loss_of(3), 0, 5));
  CHECK(breakpoints.met(loss_of(3), 1, 5));
  CHECK(breakpoints.met(loss_of(3), 0, 6));
}

TEST_CASE("a batch without the record, or with a text in it, meets no breakpoint", "[breakpoint]") {
  Breakpoints breakpoints;
  breakpoints.add(parse_breakpoint("gradient_norm != 1"), "ann");
  CHECK(breakpoints.need_records());
  CHECK_FALSE(breakpoints.met(loss_of(3), 0, 1));
  CHECK_FALSE(breakpoints.met({{"gradient_norm", Value{std::string{"large"}}}}, 0, 2));
}

TEST_CASE("breakpoints are listed and removed by number", "[breakpoint]") {
  Breakpoints breakpoints;
  breakpoints.add(parse_breakpoint("loss is nan"), "ann@n1");
  breakpoints.add(parse_breakpoint("batch == 9"), "dashboard, role admin");
  CHECK_FALSE(breakpoints.need_records());
  CHECK(breakpoints.lines()
        == std::vector<std::string>{"breakpoint 1: loss is nan, set by ann@n1",
                                    "breakpoint 2: batch == 9, set by dashboard, role admin"});
  CHECK(breakpoints.remove(1));
  CHECK_FALSE(breakpoints.remove(1));
  CHECK(breakpoints.add(parse_breakpoint("loss < 0"), "ann") == 3);
  breakpoints.clear();
  CHECK(breakpoints.empty());
}
