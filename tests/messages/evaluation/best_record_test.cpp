#include "messages/evaluation/best_record.hpp"
#include "messages/evaluation/undefined_metrics.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

using namespace troupe;
using BestDecision = BestRecord::Decision;

namespace {

constexpr auto infinite = std::numeric_limits<double>::infinity();
constexpr auto not_a_number = std::numeric_limits<double>::quiet_NaN();

Records losses(double loss) { return {{"accuracy", Value{0.5}}, {"loss", Value{loss}}}; }

/// The indices of the values that are best, from 0.
std::vector<std::size_t> best_of(const std::vector<double>& values, Choose choose = Choose::min) {
  BestRecord best{"loss", choose};
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (best.offer(losses(values[i])) == BestDecision::best)
      found.push_back(i);
  return found;
}

} // namespace

TEST_CASE("of 5, 6, 5, 4 the first and the last are best: a tie is not", "[best_record][B39]") {
  CHECK(best_of({5, 6, 5, 4}) == std::vector<std::size_t>{0, 3});
}

TEST_CASE("with choose max, 5, 6, 5, 7 has three best values", "[best_record][B39]") {
  CHECK(best_of({5, 6, 5, 7}, Choose::max) == std::vector<std::size_t>{0, 1, 3});
}

TEST_CASE("a value is best exactly if it beats all before it", "[best_record][B39]") {
  std::mt19937 random{7};
  for (int round = 0; round < 200; ++round) {
    std::vector<double> values;
    for (auto i = random() % 30; i > 0; --i)
      values.push_back(static_cast<double>(random() % 8) - 4); // many ties
    std::vector<std::size_t> smaller, larger;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto before = values.begin() + static_cast<std::ptrdiff_t>(i);
      if (std::all_of(values.begin(), before, [&](double x) { return values[i] < x; }))
        smaller.push_back(i);
      if (std::all_of(values.begin(), before, [&](double x) { return values[i] > x; }))
        larger.push_back(i);
    }
    CHECK(best_of(values) == smaller);
    CHECK(best_of(values, Choose::max) == larger);
  }
}

TEST_CASE("NaN is never best, not even as the first value", "[best_record][B39]") {
  const auto choose = GENERATE(Choose::min, Choose::max);
  BestRecord best{"loss", choose};
  CHECK(best.offer(losses(not_a_number)) == BestDecision::not_a_number);
  CHECK_FALSE(best.state().any);
  CHECK(best.offer(losses(3)) == BestDecision::best);
  CHECK(best.offer(losses(-not_a_number)) == BestDecision::not_a_number);
  CHECK(best.state().value == 3);
}

TEST_CASE("infinity is a number like others", "[best_record][B39]") {
  CHECK(best_of({infinite, infinite, 1e300, -infinite}) == std::vector<std::size_t>{0, 2, 3});
}

TEST_CASE("a row without the record is ignored", "[best_record][B39]") {
  BestRecord best{"loss", Choose::min};
  CHECK(best.offer({}) == BestDecision::absent);
  CHECK(best.offer({{"Loss", Value{1.0}}}) == BestDecision::absent);
  CHECK_FALSE(best.state().any);
}

TEST_CASE("whole numbers are compared with others", "[best_record][B39]") {
  BestRecord best{"loss", Choose::min};
  CHECK(best.offer({{"loss", Value{std::int64_t{2}}}}) == BestDecision::best);
  CHECK(best.offer(losses(2.5)) == BestDecision::no_better);
  CHECK(best.offer(losses(1.5)) == BestDecision::best);
}

TEST_CASE("a text or a flag is refused with its value, and the best is kept",
          "[best_record][B39]") {
  BestRecord best{"loss", Choose::min};
  best.offer(losses(3));
  CHECK_THROWS_WITH(best.offer({{"loss", Value{std::string{"low"}}}}),
                    "record 'loss' is 'low', which cannot be better or worse; name a numeric "
                    "record");
  CHECK_THROWS_WITH(best.offer({{"loss", Value{true}}}), Catch::Contains("'true'"));
  CHECK(best.state().value == 3);
}

TEST_CASE("a record without a name is refused", "[best_record][B39]") {
  CHECK_THROWS_WITH((BestRecord{"", Choose::min}), Catch::Contains("record: validation_loss"));
}

TEST_CASE("the options for better and for NaN are read as they are printed", "[best_record][B39]") {
  for (auto choose : {Choose::min, Choose::max}) {
    Choose read{};
    CHECK(from_text(to_string(choose), read));
    CHECK(read == choose);
  }
  for (auto policy : {OnNan::stop, OnNan::ignore}) {
    OnNan read{};
    CHECK(from_text(to_string(policy), read));
    CHECK(read == policy);
  }
}

TEST_CASE("other names are refused, and leave the option as it is", "[best_record][B39]") {
  const auto text = GENERATE("", "Min", "minimum", "stop ", "\xff", "max\n");
  auto choose = Choose::max;
  auto policy = OnNan::ignore;
  CHECK_FALSE(from_text(text, choose));
  CHECK_FALSE(from_text(text, policy));
  CHECK(choose == Choose::max);
  CHECK(policy == OnNan::ignore);
}

TEST_CASE("an undefined metric is never best, not even as the first value",
          "[best_record][B39][T26]") {
  const auto row = [](double r2, const std::string& undefined) {
    Records records{{"validation_r2", Value{r2}}};
    if (!undefined.empty())
      records["validation_undefined"] = Value{undefined};
    return records;
  };
  BestRecord best{"validation_r2", Choose::max};
  CHECK(best.offer(row(0, "auc, r2")) == BestDecision::undefined);
  CHECK_FALSE(best.state().any);
  CHECK(best.offer(row(-3, "auc")) == BestDecision::best);
  CHECK(best.offer(row(0, "r2")) == BestDecision::undefined);
  CHECK(best.state().value == -3);
  CHECK(best.offer(row(-2, "")) == BestDecision::best);
}

TEST_CASE("the record of undefined metrics refers to its own prefix and suffix", "[metrics][T26]") {
  Records row{{"validation_r2_last", Value{0.0}},
              {"test_r2_last", Value{0.0}},
              {"validation_mse_last", Value{0.0}},
              {"validation_undefined_last", Value{std::string{"r2"}}}};
  CHECK(is_undefined(row, "validation_r2_last"));
  CHECK_FALSE(is_undefined(row, "validation_mse_last"));
  CHECK_FALSE(is_undefined(row, "test_r2_last"));
  CHECK_FALSE(is_undefined(row, "validation_r2"));
  CHECK_FALSE(is_undefined(row, "validation_undefined_last"));
}

TEST_CASE("people see which metrics and records are undefined", "[metrics][T26]") {
  CHECK(undefined_mark("r2", {"auc", "r2"}) == " (undefined)");
  CHECK(undefined_mark("mse", {"auc", "r2"}).empty());
  const Records row{{"validation_undefined", Value{std::string{"auc, r2"}}}};
  CHECK(undefined_mark(row, "validation_r2") == " (undefined)");
  CHECK(undefined_mark(row, "test_r2").empty());
}
