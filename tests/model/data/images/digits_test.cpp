#include "model/data/images/digit_drawing.hpp"
#include "model/data/images/digits.hpp"
#include "tests/support/data_files.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <thread>

using namespace troupe;

namespace {

std::vector<float> picture(const Problem& problem, Section section, Index row) {
  Batch batch;
  problem.gather(section, std::vector<Index>{row}, batch);
  return {batch.inputs[0].values.begin(), batch.inputs[0].values.end()};
}

DigitsOptions small(std::int64_t seed = 0) {
  return {.train = 600, .validation = 20, .test = 20, .seed = seed};
}

} // namespace

TEST_CASE("digits describe a batch, and fill it as described", "[digits]") {
  const Digits digits(small());
  CHECK(to_string(digits.spec().inputs[0]) == "images float32 [any, 28, 28]");
  CHECK(digits.spec().targets[0].classes == 10);
  CHECK(digits.class_names().size() == 10);
  const auto batch = test::gather_all(digits, Section::test);
  CHECK(batch.size == 20);
  CHECK(batch.inputs[0].values.size() == 20 * 28 * 28);
  CHECK(batch.inputs[0].classes.empty());
  CHECK(batch.targets[0].classes.size() == 20);
  CHECK(batch.targets[0].values.empty());
}

TEST_CASE("the same seed draws the same digits, another seed different ones", "[digits]") {
  const Digits one(small()), two(small()), other(small(1));
  CHECK(picture(one, Section::train, 599) == picture(two, Section::train, 599));
  CHECK(picture(one, Section::train, 599) != picture(other, Section::train, 599));
}

TEST_CASE("the sections of the digits show different pictures", "[digits]") {
  const Digits digits(small());
  CHECK(picture(digits, Section::train, 0) != picture(digits, Section::validation, 0));
  CHECK(picture(digits, Section::validation, 0) != picture(digits, Section::test, 0));
}

TEST_CASE("a digit does not depend on the number of digits", "[digits]") {
  const Digits few(small()), many(DigitsOptions{.train = 5000, .validation = 100, .test = 0});
  CHECK(picture(few, Section::train, 300) == picture(many, Section::train, 300));
}

TEST_CASE("a digit does not depend on the order of access", "[digits]") {
  const Digits forward(small()), backward(small());
  Batch a, b;
  forward.gather(Section::train, std::vector<Index>{1, 257, 599}, a);
  backward.gather(Section::train, std::vector<Index>{599, 257, 1}, b);
  const auto row = [](const Batch& batch, int i) {
    const auto* first = batch.inputs[0].values.data() + i * 784;
    return std::vector<float>(first, first + 784);
  };
  CHECK(row(a, 0) == row(b, 2));
  CHECK(row(a, 1) == row(b, 1));
  CHECK(row(a, 2) == row(b, 0));
}

TEST_CASE("two threads may read digits that are not drawn yet", "[digits]") {
  const Digits shared(small()), alone(small());
  Batch a, b;
  std::vector<Index> rows{599, 0, 300, 256, 511};
  std::thread first([&] { shared.gather(Section::train, rows, a); });
  std::thread second([&] { shared.gather(Section::train, rows, b); });
  first.join();
  second.join();
  Batch expected;
  alone.gather(Section::train, rows, expected);
  CHECK(a.inputs[0].values == expected.inputs[0].values);
  CHECK(b.inputs[0].values == expected.inputs[0].values);
}

TEST_CASE("endless digits are new after the first epoch", "[digits]") {
  auto options = small();
  options.endless = true;
  const Digits digits(options);
  CHECK(digits.endless());
  CHECK(picture(digits, Section::train, 0) != picture(digits, Section::train, 600));
  CHECK(picture(digits, Section::train, 600) == picture(digits, Section::train, 600));
  const Index far = Index{1} << 40;
  CHECK(picture(digits, Section::train, far) != picture(digits, Section::train, far + 10));
  // Rows that are drawn each time equal those that a larger section keeps.
  CHECK(picture(digits, Section::train, 700)
        == picture(Digits({.train = 800}), Section::train, 700));
}

TEST_CASE("ten consecutive digits are all ten digits", "[digits]") {
  const auto batch = test::gather_all(Digits(small()), Section::train);
  const auto& labels = batch.targets[0].classes;
  bool mixed = false;
  for (std::size_t i = 0; i < labels.size(); i += 10) {
    std::vector<int> ten(labels.begin() + long(i), labels.begin() + long(i) + 10);
    mixed = mixed || !std::equal(ten.begin(), ten.end(), labels.begin());
    std::sort(ten.begin(), ten.end());
    REQUIRE(ten == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  }
  CHECK(mixed);
}

TEST_CASE("the pixels of digits lie between 0 and 1, some dark and some bright", "[digits]") {
  const auto batch = test::gather_all(Digits(small()), Section::train);
  for (std::size_t i = 0; i < 600; ++i) {
    const auto* first = batch.inputs[0].values.data() + i * 784;
    const auto [least, most] = std::minmax_element(first, first + 784);
    REQUIRE(*least == 0);
    REQUIRE(*most > 0.6f);
    REQUIRE(*most <= 1);
    const auto mean = std::accumulate(first, first + 784, 0.f) / 784;
    REQUIRE(mean > 0.02f);
    REQUIRE(mean < 0.4f);
  }
}

TEST_CASE("a row that a section of digits does not have is refused", "[digits]") {
  const Digits digits(small());
  Batch batch;
  CHECK_THROWS_AS(digits.gather(Section::train, std::vector<Index>{600}, batch), std::out_of_range);
  CHECK_THROWS_AS(digits.gather(Section::test, std::vector<Index>{-1}, batch), std::out_of_range);
}

TEST_CASE("digits refuse sizes out of range", "[digits]") {
  CHECK_THROWS_AS(Digits({.train = 0}), std::invalid_argument);
  CHECK_THROWS_AS(Digits({.validation = -1}), std::invalid_argument);
  CHECK_THROWS_AS(Digits({.train = Index{1} << 50}), std::invalid_argument);
}

TEST_CASE("a digit whose style moves it off the picture is cut without a crash", "[digits]") {
  DigitStyle wild;
  wild.shift = 60;
  wild.height_max = 80;
  wild.rotation = 3;
  std::vector<std::uint8_t> image(784);
  for (std::uint64_t k = 0; k < 200; ++k) {
    Random random(RandomKey{1}, k);
    draw_digit(static_cast<int>(k % 10), random, wild, image);
  }
  SUCCEED();
}
