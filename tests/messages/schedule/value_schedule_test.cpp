#include "messages/schedule/value_schedule.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

using namespace troupe;
using Catch::Contains;

namespace {

/// The value at each of the times, from a start of `start`.
std::vector<double> values_at(const ValueScheduleOptions& options, const std::vector<double>& times,
                              double start) {
  const ValueSchedule schedule{options};
  std::vector<double> result;
  for (const auto n : times)
    result.push_back(schedule.at(n, start));
  return result;
}

using Numbers = std::vector<double>;

const auto no_number = std::numeric_limits<double>::quiet_NaN();

} // namespace

TEST_CASE("a constant schedule stays at its start", "[value_schedule][B38]") {
  CHECK(values_at({}, {0, 1, 1e9}, 0.3) == Numbers{0.3, 0.3, 0.3});
}

TEST_CASE("a step schedule is multiplied at each interval", "[value_schedule][B38]") {
  CHECK(values_at({.name = ValueCurve::step, .factor = 0.5, .every = 10}, {0, 9, 10, 19, 20, 35}, 8)
        == Numbers{8, 8, 4, 4, 2, 1});
}

TEST_CASE("an exponential schedule is multiplied at each time", "[value_schedule][B38]") {
  CHECK(values_at({.name = ValueCurve::exponential, .gamma = 0.5}, {0, 1, 2, 10}, 1024)
        == Numbers{1024, 512, 256, 1});
}

TEST_CASE("a multistep schedule is multiplied at each milestone", "[value_schedule][B38]") {
  CHECK(values_at({.name = ValueCurve::multistep, .factor = 0.25, .milestones = {3, 5, 5}},
                  {0, 2, 3, 4, 5, 100}, 64)
        == Numbers{64, 64, 16, 16, 1, 1});
}

TEST_CASE("a linear schedule ends exactly at its end, and stays there", "[value_schedule][B38]") {
  CHECK(values_at({.name = ValueCurve::linear, .duration = 4, .to = 1}, {0, 1, 2, 4, 9}, 5)
        == Numbers{5, 4, 3, 1, 1});
  CHECK(values_at({.name = ValueCurve::linear, .duration = 2, .from = 0.1, .to = 0.3}, {0, 2, 3}, 5)
        == Numbers{0.1, 0.3, 0.3});
}

TEST_CASE("a polynomial schedule is a power of what is left", "[value_schedule][B38]") {
  CHECK(
    values_at({.name = ValueCurve::polynomial, .duration = 4, .power = 2}, {0, 1, 2, 3, 4, 5}, 16)
    == Numbers{16, 9, 4, 1, 0, 0});
}

TEST_CASE("a cosine schedule falls from the start to the end over half a wave",
          "[value_schedule][B38]") {
  const auto v
    = values_at({.name = ValueCurve::cosine, .duration = 6, .to = 1}, {0, 2, 3, 4, 6, 7}, 5);
  CHECK(v[0] == 5);
  CHECK(v[1] == Approx(4)); // cos(pi / 3) = 1 / 2
  CHECK(v[2] == Approx(3));
  CHECK(v[3] == Approx(2));
  CHECK(v[4] == 1);
  CHECK(v[5] == 1);
}

TEST_CASE("a warm-up goes linearly to the schedule, whose time begins after it",
          "[value_schedule][B38]") {
  CHECK(values_at({.warm_up = {.duration = 4, .factor = 0.5}}, {0, 1, 2, 4, 5}, 8)
        == Numbers{4, 5, 6, 8, 8});
  CHECK(values_at({.name = ValueCurve::exponential, .gamma = 0.5, .warm_up = {.duration = 2}},
                  {0, 1, 2, 3, 4}, 8)
        == Numbers{0, 4, 8, 4, 2});
  CHECK(
    values_at({.name = ValueCurve::linear, .duration = 4, .from = 4, .warm_up = {.duration = 1}},
              {0, 1, 3, 5}, 100)
    == Numbers{0, 4, 2, 0});
}

TEST_CASE("a plateau multiplies once per drop, down to its minimum", "[value_schedule][B38]") {
  const ValueSchedule schedule{
    {.name = ValueCurve::plateau, .factor = 0.5, .minimum = 1, .record = "loss"}};
  CHECK(schedule.at(7, 8, 0) == 8);
  CHECK(schedule.at(7, 8, 2) == 2);
  CHECK(schedule.at(7, 8, 5) == 1);
  CHECK(schedule.at(7, 0.5, 1) == 0.5); // what starts below the minimum is not raised to it
}

TEST_CASE("decaying schedules stay between their ends and never rise", "[value_schedule][B38]") {
  std::mt19937 random{7};
  std::uniform_real_distribution<double> number{0.001, 2};
  for (int trial = 0; trial < 200; ++trial) {
    ValueScheduleOptions options;
    options.duration = 100 * number(random);
    options.factor = number(random) / 2;
    options.gamma = number(random) / 2;
    options.every = 10 * number(random);
    options.milestones = {1, 10 * number(random) + 1, 50};
    options.power = number(random);
    for (const auto curve : {ValueCurve::step, ValueCurve::exponential, ValueCurve::multistep,
                             ValueCurve::linear, ValueCurve::polynomial, ValueCurve::cosine}) {
      options.name = curve;
      const ValueSchedule schedule{options};
      auto last = 3.0;
      CHECK(schedule.at(0, last) == last);
      for (int n = 1; n < 250; n += 3) {
        const auto value = schedule.at(n, 3);
        if (!(value <= last && value >= 0))
          FAIL(to_string(curve) << " goes from " << last << " to " << value << " at " << n);
        last = value;
      }
    }
  }
}

TEST_CASE("an invalid schedule is refused with its option and value", "[value_schedule][B38]") {
  const auto refusal = [](const ValueScheduleOptions& options) {
    try {
      ValueSchedule{options};
      return std::string{"none"};
    } catch (const std::invalid_argument& e) {
      return std::string{e.what()};
    }
  };
  CHECK_THAT(refusal({.name = ValueCurve::step, .every = 0}),
             Contains("every of the schedule 'step' is 0"));
  CHECK_THAT(refusal({.name = ValueCurve::step, .factor = -1}), Contains("factor"));
  CHECK_THAT(refusal({.name = ValueCurve::exponential, .gamma = no_number}), Contains("gamma"));
  CHECK_THAT(refusal({.name = ValueCurve::multistep}), Contains("needs milestones"));
  CHECK_THAT(refusal({.name = ValueCurve::multistep, .milestones = {5, 3}}), Contains("ascend"));
  CHECK_THAT(refusal({.name = ValueCurve::cosine}), Contains("duration"));
  CHECK_THAT(refusal({.name = ValueCurve::linear, .duration = 1, .to = no_number}),
             Contains("to of"));
  CHECK_THAT(refusal({.name = ValueCurve::polynomial, .duration = 1, .power = 0}),
             Contains("power"));
  CHECK_THAT(refusal({.name = ValueCurve::plateau}), Contains("record"));
  CHECK_THAT(refusal({.name = ValueCurve::plateau, .record = "loss", .patience = -1}),
             Contains("patience"));
  CHECK_THAT(refusal({.warm_up = {.duration = -1}}), Contains("warm_up.duration"));
  CHECK_THAT(refusal({.warm_up = {.duration = 1, .factor = no_number}}),
             Contains("warm_up.factor"));
}

TEST_CASE("a plateau may have no patience, but needs a finite minimum", "[value_schedule][B38]") {
  CHECK_NOTHROW(
    ValueSchedule{{.name = ValueCurve::plateau, .minimum = 0, .record = "loss", .patience = 0}});
  for (const auto minimum : {no_number, HUGE_VAL})
    CHECK_THROWS_WITH(
      (ValueSchedule{{.name = ValueCurve::plateau, .minimum = minimum, .record = "loss"}}),
      Contains("minimum"));
}

TEST_CASE("a warm-up begins with a factor that is not negative", "[value_schedule][B38]") {
  CHECK_THROWS_WITH((ValueSchedule{{.warm_up = {.duration = 1, .factor = -0.5}}}),
                    Contains("warm_up.factor"));
}

TEST_CASE("curves are known by their names", "[value_schedule]") {
  for (const auto* name : {"constant", "step", "exponential", "multistep", "linear", "polynomial",
                           "cosine", "plateau"}) {
    ValueCurve curve{};
    REQUIRE(from_text(name, curve));
    CHECK(to_string(curve) == name);
  }
  ValueCurve curve = ValueCurve::cosine;
  for (const auto* name : {"", "Cosine", "cosin", "unknown curve"})
    CHECK_FALSE(from_text(name, curve));
  CHECK(curve == ValueCurve::cosine);
}

TEST_CASE("a plateau drops after more than patience calls without a better record",
          "[value_schedule][B38]") {
  Plateau plateau{2};
  std::vector<bool> met;
  for (const auto record : {5.0, 6.0, 5.0, 5.0, 5.0, 5.0, 4.0, 4.0, no_number, 4.0, 3.0})
    met.push_back(plateau.update(record));
  CHECK(met
        == std::vector<bool>{false, false, false, true, false, false, false, false, false, true,
                             false});
  CHECK(plateau.drops() == 2);
}

TEST_CASE("a plateau of a record that has to rise waits for larger values",
          "[value_schedule][B38]") {
  Plateau plateau{0, Choose::max};
  CHECK_FALSE(plateau.update(0.5));
  CHECK_FALSE(plateau.update(0.75));
  CHECK(plateau.update(0.75));
  CHECK(plateau.update(0.5));
  CHECK_FALSE(plateau.update(1));
}

TEST_CASE("NaN is never the best of a plateau", "[value_schedule][B40]") {
  Plateau plateau{0};
  CHECK(plateau.update(no_number));
  CHECK_FALSE(plateau.update(1e30));
}
