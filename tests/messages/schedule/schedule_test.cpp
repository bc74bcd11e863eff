#include "messages/schedule/schedule.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <random>

using namespace troupe;
using Catch::Contains;

namespace {

/// A random schedule, on all timelines.
Schedule random_schedule(std::mt19937& random, int depth) {
  auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  if (depth == 0 || below(4) == 0) {
    static const char* timelines[]
      = {"batches", "epochs", "examples", "seconds", "training_seconds", "tokens"};
    const auto timeline = below(6);
    auto number = [&] {
      const double x = 1 + below(6);
      return timeline < 3 ? x : x * std::pow(10.0, below(30) - 15) / 7;
    };
    if (below(20) == 0)
      return below(2) == 0 ? always() : never();
    if (below(2) == 0)
      return each(number()).on(timelines[timeline]);
    std::vector<double> times;
    for (int i = 0; i <= below(4); ++i)
      times.push_back(number());
    return at(times).on(timelines[timeline]);
  }
  const auto a = random_schedule(random, depth - 1);
  switch (below(3)) {
  case 0: return a & random_schedule(random, depth - 1);
  case 1: return a | random_schedule(random, depth - 1);
  default: return ~a;
  }
}

/// Parses, and checks that the result is a schedule or one sentence.
bool parses(const std::string& text) {
  try {
    parse_schedule(text);
    return true;
  } catch (const std::invalid_argument& error) {
    CHECK_THAT(error.what(), Contains("column "));
    CHECK_THAT(error.what(), !Contains("\n"));
    return false;
  }
}

} // namespace

TEST_CASE("a period that is not positive and finite is rejected", "[schedule][P2]") {
  for (auto n : {0.0, -1.0, -0.0, std::nan(""), HUGE_VAL, -HUGE_VAL})
    CHECK_THROWS_AS(each(n), std::invalid_argument);
  CHECK_THROWS_WITH(each(-3), Contains("each(-3)") && Contains("must be positive"));
  for (auto text : {"each(0)", "each(-1)", "each(nan)", "each(inf)"})
    CHECK_THROWS_WITH(parse_schedule(text), Contains("column 6") && Contains("must be positive"));
}

TEST_CASE("a repeated time counts once, and the order does not matter", "[schedule][P3]") {
  CHECK(at(17, 153, 17) == at(153, 17));
  CHECK(to_string(at(153, 17, 153)) == "at(17, 153 batches)");
}

TEST_CASE("a listed time is positive and finite, however small", "[schedule][P3]") {
  CHECK_NOTHROW(at(5e-324).seconds());
  for (auto t : {0.0, -1.0, std::nan(""), HUGE_VAL})
    CHECK_THROWS_AS(at(1, t), std::invalid_argument);
  CHECK_THROWS_AS(at(std::vector<double>{}), std::invalid_argument);
}

TEST_CASE("fractions belong to real timelines only", "[schedule][P2]") {
  CHECK_NOTHROW(each(0.5).seconds());
  CHECK_THROWS_WITH(each(0.5).epochs(), Contains("0.5 epochs") && Contains("whole number"));
  // cure: is impossible; use a whole number up to 2^53
  CHECK_NOTHROW(each(9007199254740992).epochs());
  CHECK_THROWS_AS(Schedule{at(1, 2.5)}, std::invalid_argument);
  CHECK_THROWS_AS(at(1e300).examples(), std::invalid_argument);
}

TEST_CASE("batches are the default timeline", "[schedule][P7]") {
  CHECK(Schedule{each(10)} == each(10).batches());
  CHECK(parse_schedule("each(10)") == each(10).batches());
  CHECK(parse_schedule("at(17, 153)") == at(17, 153).batches());
}

TEST_CASE("each timeline has a builder and a text form", "[schedule][P7][P8][P9][P10][P14]") {
  CHECK(to_string(each(10).batches()) == "each(10 batches)");
  CHECK(to_string(each(1).epochs()) == "each(1 epochs)");
  CHECK(to_string(each(50).examples()) == "each(50 examples)");
  CHECK(to_string(each(0.1).seconds()) == "each(0.1 seconds)");
  CHECK(to_string(at(1, 2.5).training_seconds()) == "at(1, 2.5 training_seconds)");
  CHECK(to_string(each(1e6).on("tokens")) == "each(1e+06 tokens)");
}

TEST_CASE("singular names are the same timelines", "[schedule]") {
  CHECK(parse_schedule("each(1 epoch)") == each(1).epochs());
  CHECK(parse_schedule("at(1 batch) | at(1 example)") == (at(1) | at(1).examples()));
  CHECK(each(1).on("second") == each(1).seconds());
}

TEST_CASE("operators nest and print as they are written", "[schedule][P5]") {
  CHECK(to_string(each(10) & ~at(20, 30)) == "each(10 batches) & ~at(20, 30 batches)");
  CHECK(to_string(~(each(2) | at(3)) & (each(5) | ~each(7)))
        == "~(each(2 batches) | at(3 batches)) & (each(5 batches) | ~each(7 batches))");
}

TEST_CASE("complement binds closer than intersection, and that closer than union",
          "[schedule][P5]") {
  const Schedule a = each(2), b = each(3), c = each(5);
  CHECK(parse_schedule("each(2) | each(3) & each(5)") == (a | (b & c)));
  CHECK(parse_schedule("(each(2) | each(3)) & each(5)") == ((a | b) & c));
  CHECK(parse_schedule("~each(2) & each(3)") == (~a & b));
  CHECK(parse_schedule(" ( ( ~ ( each ( 2 )&each(3) ) ) ) ") == ~(a & b));
}

TEST_CASE("the default schedule is never, and always is its complement", "[schedule]") {
  CHECK(Schedule{} == never());
  CHECK(to_string(never()) == "never");
  CHECK(to_string(always()) == "always");
  CHECK(parse_schedule("never") == never());
  CHECK(parse_schedule("always") == always());
  CHECK(~never() == always());
  CHECK(~always() == never());
}

TEST_CASE("always and never vanish from expressions, and so does a double complement",
          "[schedule]") {
  const Schedule a = each(3);
  CHECK((a & always()) == a);
  CHECK((a | never()) == a);
  CHECK((a & never()) == never());
  CHECK((a | always()) == always());
  CHECK(~~a == a);
  CHECK(parse_schedule("~~~each(3) | never") == ~a);
}

TEST_CASE("what is printed reads back as an equal schedule", "[schedule][P5]") {
  std::mt19937 random{1};
  for (int i = 0; i < 3000; ++i) {
    const auto schedule = random_schedule(random, 5);
    const auto text = to_string(schedule);
    INFO(text);
    const auto read = parse_schedule(text, {"tokens"});
    REQUIRE(read == schedule);
    REQUIRE(to_string(read) == text);
  }
}

TEST_CASE("an unknown timeline is rejected with the nearest one", "[schedule][P14]") {
  CHECK_THROWS_WITH(parse_schedule("each(10 bathces)"),
                    Contains("column 9 ") && Contains("did you mean 'batches'?"));
  CHECK_THROWS_WITH(parse_schedule("each(10 tokns)", {"tokens", "words"}), Contains("'tokens'?"));
  CHECK_THROWS_WITH(parse_schedule("each(10 tokens)"), Contains("unknown timeline 'tokens'"));
  CHECK(parse_schedule("each(10 tokens)", {"tokens"}) == each(10).on("tokens"));
  CHECK(parse_schedule("each(10 tokens)", {"*"}) == each(10).on("tokens"));
}

TEST_CASE("a timeline's name is an identifier without another meaning", "[schedule][P14]") {
  for (auto name : {"", "my tokens", "a)", "1st", "each", "at", "never", "always"})
    CHECK_THROWS_AS(each(1).on(name), std::invalid_argument);
}

TEST_CASE("an error says where a text is wrong and what belongs there", "[schedule]") {
  CHECK_THROWS_WITH(parse_schedule(""), Contains("column 1 ") && Contains("each(...)"));
  CHECK_THROWS_WITH(parse_schedule("every(10)"), Contains("column 1 ") && Contains("'every'"));
  CHECK_THROWS_WITH(parse_schedule("each 10"), Contains("column 6 ") && Contains("expected '('"));
  CHECK_THROWS_WITH(parse_schedule("each(ten)"), Contains("column 6 ") && Contains("a number"));
  CHECK_THROWS_WITH(parse_schedule("each(1, 2)"), Contains("column 7 "));
  CHECK_THROWS_WITH(parse_schedule("at(1, 2"), Contains("column 8 ") && Contains("the end"));
  CHECK_THROWS_WITH(parse_schedule("(each(1)"), Contains("column 9 ") && Contains("')'"));
  CHECK_THROWS_WITH(parse_schedule("each(1) each(2)"), Contains("column 9 ") && Contains("'&'"));
  CHECK_THROWS_WITH(parse_schedule("each(1) &"), Contains("column 10 "));
  CHECK_THROWS_WITH(parse_schedule("each(1e999)"), Contains("column 6 ") && Contains("too large"));
  CHECK_THROWS_WITH(parse_schedule("at(2.5 epochs)"), Contains("column 4 "));
  CHECK_THROWS_WITH(parse_schedule("\xff"), Contains("byte 255"));
}

TEST_CASE("random bytes give a schedule or a sentence", "[schedule]") {
  std::mt19937 random{2};
  const std::string letters = "each(10 batches) & ~at(2., 3 epochs)|nvrlwys\x00\xff";
  for (int i = 0; i < 20000; ++i) {
    std::string text(random() % 40, ' ');
    const bool letters_only = i % 2 == 0;
    for (auto& c : text)
      c = letters_only ? letters[random() % letters.size()] : static_cast<char>(random());
    INFO(text);
    parses(text);
  }
}

TEST_CASE("truncated and altered texts give a schedule or a sentence", "[schedule]") {
  std::mt19937 random{3};
  const std::string whole = "(each(10 batches) | at(1, 2.5 seconds)) & ~each(3 epochs)";
  REQUIRE(parses(whole));
  const auto first_part = whole.find(" & ");
  for (std::size_t length = 0; length < whole.size(); ++length)
    CHECK(parses(whole.substr(0, length)) == (length == first_part || length == first_part + 1));
  for (int i = 0; i < 5000; ++i) {
    auto text = whole;
    for (int k = 0; k < 3; ++k)
      text[random() % text.size()] = whole[random() % whole.size()];
    parses(text);
  }
}

TEST_CASE("an endlessly nested text is rejected without a stack overflow", "[schedule]") {
  CHECK_FALSE(parses(std::string(1000000, '(')));
  CHECK_FALSE(parses(std::string(1000000, '~')));
  CHECK(parses(std::string(100, '(') + "each(1)" + std::string(100, ')')));
}

TEST_CASE("too many periods or levels are rejected by the operators", "[schedule]") {
  Schedule many = each(1), deep = each(1);
  CHECK_THROWS_WITH(
    [&] {
      for (int n = 2; n < 100; ++n)
        many = many | each(n);
    }(),
    Contains("12 different periods"));
  CHECK(many.parts().size() == 12);
  CHECK_THROWS_WITH(
    [&] {
      for (int n = 0; n < 1000; ++n)
        deep = ~(deep & at(n + 1));
    }(),
    Contains("nests at most 100"));
  CHECK(parse_schedule(to_string(deep)) == deep);
}

TEST_CASE("the maximum of levels and counts is accepted, and no more", "[schedule][P5]") {
  Schedule deep = each(1) & at(1).seconds();
  for (int depth = 1; depth < Schedule::deepest; ++depth)
    deep = depth % 2 == 0 ? deep & at(1).seconds() : deep | each(1);
  CHECK_THROWS_WITH(deep & each(2).on("tokens"), Contains("nests at most 100"));
  CHECK_NOTHROW(at(0x1p53).batches());
  CHECK_THROWS_AS(at(0x1p53 + 2).batches(), std::invalid_argument);
}

TEST_CASE("a schedule lists the timelines it refers to", "[schedule][P14]") {
  CHECK(timelines_of((each(1).on("tokens") | ~at(3)) & each(2))
        == std::vector<std::string>{"tokens", "batches"});
  CHECK(timelines_of(always()).empty());
}
