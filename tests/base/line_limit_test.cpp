#include "base/line_limit.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using namespace std::chrono_literals;

namespace {

const LineLimit::Time limit_begin{100s};

} // namespace

TEST_CASE("one line a second of each kind is written, and the next one counts those left out",
          "[line_limit]") {
  LineLimit limit;
  CHECK(limit.admit("refused", "a", limit_begin) == "a");
  CHECK_FALSE(limit.admit("refused", "b", limit_begin));
  CHECK_FALSE(limit.admit("refused", "c", limit_begin + 999ms));
  CHECK(limit.admit("late", "d", limit_begin) == "d"); // another kind
  CHECK(limit.admit("refused", "e", limit_begin + 1s) == "e (and 2 more like it)");
  CHECK(limit.admit("refused", "f", limit_begin + 2s) == "f");
}

TEST_CASE("lines left out are reported a second later where no other line of their kind comes",
          "[line_limit]") {
  LineLimit limit;
  limit.admit("refused", "a", limit_begin);
  CHECK_FALSE(limit.next_line());
  limit.admit("refused", "b", limit_begin + 1ms);
  limit.admit("refused", "c", limit_begin + 2ms);
  CHECK(limit.next_line() == limit_begin + 1s);
  CHECK(limit.left_out(limit_begin + 999ms).empty());
  CHECK(limit.left_out(limit_begin + 1s) == std::vector<std::string>{"c (and 1 more like it)"});
  CHECK(limit.left_out(limit_begin + 9s).empty());
  CHECK_FALSE(limit.next_line());
}

TEST_CASE("20,000 lines within ten seconds become eleven, and all are counted", "[line_limit]") {
  LineLimit limit;
  std::vector<std::string> written;
  for (auto i = 0; i < 20'000; ++i)
    if (const auto line = limit.admit("refused", "x", limit_begin + i * 500us))
      written.push_back(*line);
  for (const auto& line : limit.left_out(limit_begin + 20s))
    written.push_back(line);
  CHECK(written.size() == 11);
  std::size_t told = written.size();
  for (const auto& line : written)
    if (const auto count = line.find("(and "); count != std::string::npos)
      told += std::stoul(line.substr(count + 5));
  CHECK(told == 20'000);
}
