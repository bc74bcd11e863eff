#include "messages/loop/epoch_ends.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

namespace {

EpochEnds ends_of(const std::vector<Step>& batches) {
  EpochEnds ends;
  for (const auto batch : batches)
    ends.add(batch);
  return ends;
}

} // namespace

TEST_CASE("ends of epochs at equal distances are written as one series", "[epoch_ends][B4]") {
  CHECK(ends_of({}).text().empty());
  CHECK(ends_of({10}).text() == "10");
  CHECK(ends_of({10, 20}).text() == "10 20");
  CHECK(ends_of({10, 20, 30}).text() == "10-30:10");
  CHECK(ends_of({10, 15, 25, 32}).text() == "10 15 25 32");
  CHECK(ends_of({10, 20, 30, 35, 45, 55}).text() == "10-30:10 35-55:10");
  CHECK(ends_of({10, 20, 30, 35, 45, 55}).count() == 6);
}

TEST_CASE("ends of epochs are restored from their text, and continue", "[epoch_ends][B4]") {
  for (const auto& batches : {std::vector<Step>{}, {7}, {10, 15, 25, 32}, {10, 20, 30, 35}}) {
    const auto ends = ends_of(batches);
    CHECK(EpochEnds::from_text(ends.text()) == ends);
  }
  auto resumed = EpochEnds::from_text("10-30:10");
  REQUIRE(resumed);
  resumed->add(40);
  CHECK(resumed->text() == "10-40:10");
  for (const auto* wrong : {"ten", "10-", "10-30", "30-10:10", "10-35:10", "10-30:0", "10-30:10x"})
    CHECK_FALSE(EpochEnds::from_text(wrong));
}

TEST_CASE("a position counts the epochs that had ended, whatever their lengths",
          "[epoch_ends][B4]") {
  const auto ends = ends_of({10, 15, 25, 32});
  CHECK(ends.epochs_at(0, 10) == 0);
  CHECK(ends.epochs_at(5, 10) == 0.5);
  CHECK(ends.epochs_at(10, 10) == 1);
  CHECK(ends.epochs_at(14, 10) == Approx(1.4));
  CHECK(ends.epochs_at(15, 10) == 2);
  CHECK(ends.epochs_at(30, 10) == 3.5);
  CHECK(ends.epochs_at(32, 10) == 4);
  CHECK(ends.epochs_at(37, 10) == 4.5);
  const auto series = ends_of({10, 20, 30, 35});
  CHECK(series.epochs_at(25, 10) == 2.5);
  CHECK(series.epochs_at(34, 10) == 3.4);
  CHECK(series.epochs_at(35, 10) == 4);
}
