#include "base/text/split.hpp"
#include "base/text/text.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstdlib>
#include <limits>

using namespace troupe;

TEST_CASE("the shortest decimal of a number reads back as the same", "[text]") {
  const auto x = GENERATE(0.0, 0.1, -2.5, 1e30, 5e-324, 1.0 / 3, HUGE_VAL);
  CHECK(std::strtod(shortest(x).c_str(), nullptr) == x);
}

TEST_CASE("NaN is written without a sign", "[text]") {
  const auto nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto x : {nan, std::copysign(nan, -1.0)}) {
    CHECK(shortest(x) == "nan");
    CHECK_FALSE(std::signbit(without_nan_sign(x)));
  }
  CHECK(without_nan_sign(-2) == -2);
}

TEST_CASE("a count has a singular and a plural", "[text]") {
  CHECK(quantity(0, "epoch") == "0 epochs");
  CHECK(quantity(1, "batch", "es") == "1 batch");
  CHECK(quantity(2, "batch", "es") == "2 batches");
}

TEST_CASE("elements are joined with a separator, each by its text", "[text]") {
  struct Named {
    std::string name;
  };
  const std::vector<std::string> none, empty{"", "b"};
  const std::vector<Named> named{{"a"}, {"b"}};
  CHECK(joined(none).empty());
  CHECK(joined(empty) == ", b");
  CHECK(joined(named, "; ", &Named::name) == "a; b");
  CHECK(joined(std::vector{1, 2}, " ", [](int x) { return std::to_string(2 * x); }) == "2 4");
}

TEST_CASE("of many elements the first are joined and the others counted", "[text]") {
  const std::vector<std::string> three{"a", "b", "c"};
  CHECK(first_joined(three, 3) == "a, b, c");
  CHECK(first_joined(three, 1) == "a and 2 more");
}

TEST_CASE("a text in shell quotes is one word of a shell", "[text]") {
  CHECK(in_shell_quotes("a b") == "'a b'");
  CHECK(in_shell_quotes("it's") == "'it'\\''s'");
}

TEST_CASE("blanks are trimmed at both ends only", "[text]") {
  CHECK(trimmed(" \ta b\r\n") == "a b");
  CHECK(trimmed(" \n").empty());
}

TEST_CASE("digits are decimal digits and nothing else", "[text]") {
  CHECK(is_digits("007"));
  for (const auto* text : {"", "-1", "1.5", "1 "})
    CHECK_FALSE(is_digits(text));
}

TEST_CASE("a text is split at each mark", "[text]") {
  CHECK(split_at(',', "a,,b") == std::vector<std::string>{"a", "", "b"});
  CHECK(split_at(',', "a,") == std::vector<std::string>{"a", ""});
  CHECK(split_at(',', "") == std::vector<std::string>{""});
}
