#include "messages/evaluation/patience.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

using namespace troupe;

namespace {

Position epoch_of(Epoch epochs, Step batches_each = 10) {
  Position position;
  position.epochs = epochs;
  position.batches = epochs * batches_each;
  return position;
}

} // namespace

TEST_CASE("a patience of 3 with the losses 9, 8, 7, 8, 7, 6, 7, 7, 7 ends after the ninth",
          "[patience][B40]") {
  const std::vector<double> losses{9, 8, 7, 8, 7, 6, 7, 7, 7};
  Patience patience{3, 0};
  std::vector<std::int64_t> left;
  auto best = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < losses.size(); ++i) {
    patience.update(epoch_of(i + 1), losses[i] < best);
    best = std::min(best, losses[i]);
    left.push_back(patience.left(epoch_of(i + 1)));
    CHECK(patience.over(epoch_of(i + 1)) == (i == 8));
  }
  CHECK(left == std::vector<std::int64_t>{3, 3, 3, 2, 1, 3, 2, 1, 0});
}

TEST_CASE("patience does not begin before the first best", "[patience][B40]") {
  Patience patience{1, 0};
  for (Epoch epoch = 1; epoch < 10; ++epoch) {
    patience.update(epoch_of(epoch), false);
    CHECK_FALSE(patience.over(epoch_of(epoch)));
    CHECK(patience.left(epoch_of(epoch)) == 1);
  }
  patience.update(epoch_of(10), true);
  CHECK(patience.over(epoch_of(11)));
}

TEST_CASE("what is left depends only on the position, not on how often it is asked",
          "[patience][B40]") {
  std::mt19937 random{3};
  for (int round = 0; round < 200; ++round) {
    const Epoch whole = 1 + random() % 9;
    Patience each{whole, 0}, seldom{whole, 0};
    Epoch last_best = 0;
    for (Epoch epoch = 1; epoch < 40; ++epoch) {
      const auto best = random() % 5 == 0;
      if (best)
        last_best = epoch;
      each.update(epoch_of(epoch), best);
      if (best || random() % 3 == 0)
        seldom.update(epoch_of(epoch), best);
      if (last_best == 0)
        continue;
      const auto left = static_cast<std::int64_t>(whole) - static_cast<std::int64_t>(epoch)
                        + static_cast<std::int64_t>(last_best);
      CHECK(each.left(epoch_of(epoch)) == left);
      CHECK(seldom.left(epoch_of(epoch)) == left);
      CHECK(each.over(epoch_of(epoch)) == (left <= 0));
    }
  }
}

TEST_CASE("a late check finds the patience used up, not skipped", "[patience][B40]") {
  Patience patience{3, 0};
  patience.update(epoch_of(2), true);
  CHECK_FALSE(patience.over(epoch_of(4)));
  CHECK(patience.left(epoch_of(7)) == -2);
  CHECK(patience.over(epoch_of(7)));
}

TEST_CASE("patience in batches counts batches, also inside an epoch", "[patience][B40]") {
  Patience patience{0, 25};
  patience.update(epoch_of(2), true); // batch 20
  CHECK(patience.left(epoch_of(4)) == 5);
  CHECK_FALSE(patience.over(epoch_of(4)));
  CHECK(patience.over(epoch_of(9, 5)));
}

TEST_CASE("patience continues from its saved state", "[patience][B40]") {
  Patience first{3, 0}, second{3, 0};
  first.update(epoch_of(5), true);
  second.restore(first.state());
  for (Epoch epoch = 5; epoch < 10; ++epoch)
    CHECK(second.left(epoch_of(epoch)) == first.left(epoch_of(epoch)));
}

TEST_CASE("both epochs and batches, or neither, are refused", "[patience][B40]") {
  CHECK_THROWS_WITH((Patience{2, 30}), Catch::Contains("2 epochs and 30 batches"));
  CHECK_THROWS_WITH((Patience{0, 0}), Catch::Contains("epochs: 5"));
}

TEST_CASE("the longest patience does not end training", "[patience][B40]") {
  Patience patience{std::numeric_limits<Epoch>::max(), 0};
  patience.update(epoch_of(1), true);
  CHECK_FALSE(patience.over(epoch_of(1'000'000)));
}

TEST_CASE("the longest patience in batches does not end training either", "[patience][B40]") {
  Patience patience{0, std::numeric_limits<Step>::max()};
  patience.update(epoch_of(1), true);
  CHECK_FALSE(patience.over(epoch_of(1'000'000)));
}

TEST_CASE("patience is printed as text", "[patience][B40]") {
  CHECK(Patience{3, 0}.text() == "3 epochs");
  CHECK(Patience{1, 0}.text() == "1 epoch");
  CHECK(Patience{0, 1}.text() == "1 batch");
  CHECK(Patience{0, 200}.text() == "200 batches");
}
