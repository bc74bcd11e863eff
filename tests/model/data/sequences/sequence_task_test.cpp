#include "model/data/sequences/addition.hpp"
#include "model/data/sequences/recall.hpp"
#include "model/data/sequences/tagging.hpp"
#include "model/zoo/network.hpp"
#include "tests/support/data_files.hpp"

#include <catch2/catch.hpp>

#include <set>

using namespace troupe;
using Catch::Matchers::Contains;

namespace {

/// An example as two lines of text: tokens and answers (- where masked).
struct Lines {
  std::vector<std::string> tokens, answer;
};

Lines lines_of(const Problem& problem, Section section, Index row) {
  Batch batch;
  problem.gather(section, std::vector<Index>{row}, batch);
  const auto names = problem.class_names();
  Lines lines;
  for (auto token : batch.inputs[0].values)
    lines.tokens.push_back(names.at(static_cast<std::size_t>(token)));
  for (auto answer : batch.targets[0].classes)
    lines.answer.push_back(answer == masked_class ? "-"
                                                  : names.at(static_cast<std::size_t>(answer)));
  return lines;
}

std::size_t place_of(const std::vector<std::string>& words, const std::string& word) {
  return static_cast<std::size_t>(std::find(words.begin(), words.end(), word) - words.begin());
}

/// True where an example of recall is correct; `reverse`: in reverse order.
bool recalls(const Lines& lines, bool reverse) {
  const auto n = place_of(lines.tokens, "recall");
  auto expected = std::vector<std::string>(lines.tokens.begin(), lines.tokens.begin() + long(n));
  if (reverse)
    std::reverse(expected.begin(), expected.end());
  for (std::size_t i = 0; i < lines.answer.size(); ++i) {
    const auto asked = i > n && i <= 2 * n;
    if (lines.answer[i] != (asked ? expected[i - n - 1] : "-") || (i > n && lines.tokens[i] != "."))
      return false;
  }
  return true;
}

} // namespace

TEST_CASE("serial recall asks for the symbols after the token recall, in order", "[sequences]") {
  const SerialRecall problem;
  for (Index row = 0; row < 200; ++row)
    REQUIRE(recalls(lines_of(problem, Section::train, row), false));
}

TEST_CASE("reverse recall asks for the symbols from last to first", "[sequences]") {
  const ReverseRecall problem;
  for (Index row = 0; row < 200; ++row)
    REQUIRE(recalls(lines_of(problem, Section::train, row), true));
}

TEST_CASE("tagging asks for each symbol where others of its kind are, and pads at the end",
          "[sequences]") {
  const Tagging problem({.symbols = 3, .max_length = 6});
  CHECK(problem.spec().inputs[0].masked);
  CHECK(problem.spec().targets[0].classes == 4);
  std::set<std::size_t> lengths;
  for (Index row = 0; row < 200; ++row) {
    Batch batch;
    problem.gather(Section::train, std::vector<Index>{row}, batch);
    const auto& tokens = batch.inputs[0].values;
    const auto end = std::find(tokens.begin(), tokens.end(), float{masked_class});
    const auto length = static_cast<std::size_t>(end - tokens.begin());
    lengths.insert(length);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const auto at = tokens.begin() + static_cast<long>(i);
      const auto left = std::count(tokens.begin(), at, *at),
                 all = std::count(tokens.begin(), end, *at);
      const auto tag = all == 1 ? 0 : left == 0 ? 1 : left + 1 < all ? 2 : 3;
      REQUIRE(batch.targets[0].classes[i] == (i < length ? tag : masked_class));
    }
  }
  CHECK(lengths == std::set<std::size_t>{1, 2, 3, 4, 5, 6});
  CHECK(problem.class_names() == std::vector<std::string>{"only", "first", "inner", "last"});
}

TEST_CASE("addition asks for the sum of two numbers", "[sequences]") {
  const Addition problem({.max_length = 6});
  const auto number = [](const std::vector<std::string>& words, std::size_t from, std::size_t to) {
    std::string digits;
    for (auto i = from; i < to; ++i)
      digits += words[i];
    return std::stol(digits);
  };
  for (Index row = 0; row < 200; ++row) {
    const auto lines = lines_of(problem, Section::train, row);
    const auto plus = place_of(lines.tokens, "+"), equals = place_of(lines.tokens, "=");
    REQUIRE(number(lines.tokens, 0, plus) + number(lines.tokens, plus + 1, equals)
            == number(lines.answer, equals + 1, equals + 2 + plus));
    REQUIRE(lines.answer.size() == 21);
    for (std::size_t i = 0; i < lines.answer.size(); ++i)
      REQUIRE((lines.answer[i] == "-") == (i <= equals || i >= equals + 2 + plus));
  }
}

TEST_CASE("sequences have all lengths from minimum to maximum", "[sequences]") {
  const SerialRecall problem({.min_length = 2, .max_length = 5});
  std::set<std::size_t> lengths;
  for (Index row = 0; row < 200; ++row)
    lengths.insert(place_of(lines_of(problem, Section::train, row).tokens, "recall"));
  CHECK(lengths == std::set<std::size_t>{2, 3, 4, 5});
}

TEST_CASE("a sequence depends on seed, section and row only", "[sequences]") {
  const SerialRecall one({.min_length = 10}), two({.min_length = 10, .train = 5, .test = 3}),
    other({.min_length = 10, .seed = 1});
  const auto far = Index{1} << 40;
  CHECK(lines_of(one, Section::train, far).tokens == lines_of(two, Section::train, far).tokens);
  CHECK(lines_of(one, Section::train, 7).tokens != lines_of(one, Section::train, 8).tokens);
  CHECK(lines_of(one, Section::train, 1).tokens != lines_of(one, Section::test, 1).tokens);
  CHECK(lines_of(one, Section::train, 1).tokens != lines_of(other, Section::train, 1).tokens);
  Batch batch;
  one.gather(Section::train, std::vector<Index>{8, 7}, batch);
  const std::vector<float> second(batch.inputs[0].values.begin() + 21,
                                  batch.inputs[0].values.end());
  one.gather(Section::train, std::vector<Index>{7}, batch);
  CHECK(second == std::vector<float>(batch.inputs[0].values.begin(), batch.inputs[0].values.end()));
}

TEST_CASE("a finite section of sequences refuses rows beyond its end", "[sequences]") {
  const SerialRecall problem({.endless = false});
  CHECK_FALSE(problem.endless());
  CHECK_THROWS_AS(lines_of(problem, Section::train, 10000), std::out_of_range);
  CHECK_THROWS_AS(lines_of(SerialRecall{}, Section::test, 1000), std::out_of_range);
  CHECK_THROWS_AS(lines_of(SerialRecall{}, Section::train, -1), std::out_of_range);
}

TEST_CASE("invalid lengths and numbers of sequences are refused", "[sequences]") {
  CHECK_THROWS_WITH(SerialRecall({.min_length = 5, .max_length = 4}),
                    Contains("from 5 to 4") && Contains("min_length"));
  CHECK_THROWS_WITH(Addition({.train = 0}), Contains("train is 0"));
  CHECK_THROWS_WITH(SerialRecall({.symbols = 0}), Contains("symbols is 0"));
}

TEST_CASE("a network chooses the masked cross-entropy for sequences", "[sequences]") {
  const SerialRecall problem;
  CHECK(to_string(problem.spec().inputs[0]) == "tokens float32 [any, 21]");
  const Network network(problem.spec());
  CHECK(network.loss_name() == "masked_cross_entropy");
  CHECK(network.prediction().shape == Shape{any_size, 21, 10});
  CHECK_THROWS_WITH(Network(problem.spec(), {.loss = "softmax_cross_entropy"}),
                    Contains("masked_cross_entropy"));
}

TEST_CASE("a sequence task reports the lengths of a batch's sequences", "[M32]") {
  const Tagging task{{.max_length = 6}};
  Batch batch;
  const std::vector<Index> rows{0, 1, 2, 3};
  task.gather(Section::train, rows, batch);
  double all = 0, longest = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto tokens = std::span<const float>{batch.inputs[0].values}.subspan(i * 6, 6);
    const auto length = static_cast<double>(
      std::count_if(tokens.begin(), tokens.end(), [](float token) { return token > 0; }));
    all += length;
    longest = std::max(longest, length);
  }
  CHECK(statistics_of(task).size() == 2);
  CHECK(task.collect_statistics(batch, {}) == std::vector<double>{all / 4, longest});
}

TEST_CASE("blanks after the last answer are not part of a sequence's length", "[M32]") {
  const auto lengths_of = [](const SequenceTask& task, const std::vector<Index>& rows) {
    Batch batch;
    task.gather(Section::train, rows, batch);
    return task.collect_statistics(batch, {});
  };
  const auto recalled = [](const std::vector<Index>& rows) { // how many symbols
    Batch batch;
    const SerialRecall recall{{.max_length = 6}};
    recall.gather(Section::train, rows, batch);
    const auto& answers = batch.targets[0].classes;
    return static_cast<double>(
      std::count_if(answers.begin(), answers.end(), [](int answer) { return answer > 0; }));
  };
  const SerialRecall recall{{.max_length = 6}};
  for (Index row = 0; row < 10; ++row) {
    const auto length = 2 * recalled({row}) + 1;
    CHECK(lengths_of(recall, {row}) == std::vector<double>{length, length});
  }
  const Addition addition{{.min_length = 2, .max_length = 2}}, wider{{.max_length = 9}};
  CHECK(lengths_of(addition, {0, 1}) == std::vector<double>{9, 9});
  CHECK(lengths_of(wider, {0, 1, 2, 3, 4, 5}).front() < 30);
}
