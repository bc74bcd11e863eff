#include "messages/loop/gradient_time.hpp"

#include <catch2/catch.hpp>

#include <set>

using namespace troupe;

namespace {

constexpr std::uint64_t group = GradientTime::group;

/// Counts a batch as a trainer does. @returns whether it was split
bool train(GradientTime& time, double gradient, double update) {
  const auto splits = time.splits_next();
  if (splits)
    time.count(gradient, update);
  else
    time.count({}, gradient + update);
  return splits;
}

void train(GradientTime& time, double gradient, double update, std::uint64_t batches) {
  for (std::uint64_t i = 0; i < batches; ++i)
    train(time, gradient, update);
}

} // namespace

TEST_CASE("the first batches are all split", "[gradient_time]") {
  GradientTime time;
  for (std::uint64_t i = 0; i < group; ++i)
    CHECK(train(time, static_cast<double>(i), 1));
  CHECK(time.seconds() == 120);
}

TEST_CASE("later, one batch of each group is split, at changing places", "[gradient_time]") {
  GradientTime time;
  train(time, 2, 1, group);
  std::set<std::uint64_t> places;
  for (std::uint64_t i = 0; i < group; ++i) {
    std::set<std::uint64_t> split;
    for (std::uint64_t place = 0; place < group; ++place)
      if (train(time, 2, 1))
        split.insert(place);
    CHECK(split.size() == 1);
    places.merge(split);
  }
  CHECK(places.size() > group * 3 / 4);
}

TEST_CASE("batches that are not split are divided as the split ones were", "[gradient_time]") {
  GradientTime time;
  train(time, 2, 1, 1000);
  CHECK(time.seconds() == Approx(2000));
}

TEST_CASE("slow first batches say nothing about later ones", "[gradient_time]") {
  GradientTime time;
  train(time, 1000, 0);
  train(time, 1, 3, group - 1);
  train(time, 1, 3, 10'000);
  CHECK(time.seconds() == Approx(1000 + (group - 1) + 10'000));
}

TEST_CASE("a heavy batch in each group is weighted as often as it occurs", "[gradient_time]") {
  for (std::uint64_t heavy = 0; heavy < group; ++heavy) {
    GradientTime time;
    for (std::uint64_t i = 0; i < 10'000 * group; ++i)
      train(time, i % group == heavy ? 9 : 1, 1);
    CHECK(time.seconds() == Approx(10'000.0 * (9 + group - 1)).epsilon(0.01));
  }
}

TEST_CASE("a batch that had to be split is counted as it was, and is no sample",
          "[gradient_time]") {
  GradientTime time;
  train(time, 1, 1, group + 1);
  REQUIRE_FALSE(time.splits_next());
  time.count(100, 0);
  CHECK(time.seconds() == group + 1 + 100);
  time.count({}, 6);
  CHECK(time.seconds() == group + 1 + 100 + 3);
}

TEST_CASE("where no time passes, none goes to gradients", "[gradient_time]") {
  GradientTime time;
  train(time, 0, 0, 100);
  CHECK(time.seconds() == 0);
}
