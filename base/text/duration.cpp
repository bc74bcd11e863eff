#include "base/text/duration.hpp"

#include "base/text/number_in.hpp"
#include "base/text/text.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>

namespace troupe {

namespace {

constexpr auto endless = std::numeric_limits<double>::infinity();

struct Unit {
  std::string_view name;
  double times = 1; // seconds = number * times / parts: a division by 1000 is exactly rounded,
  double parts = 1; // a product with 0.001 is not
};

constexpr std::array<Unit, 5> units{{{"d", 86400}, {"h", 3600}, {"m", 60}, {"s"}, {"ms", 1, 1000}}};

// All of `text` as digits, e.g. "007".
std::optional<std::int64_t> whole(std::string_view text) {
  return text.starts_with('-') ? std::nullopt : number_in<std::int64_t>(text);
}

// "1-02:03:04" and "2:03:04". Hours have any number of digits, or two after days.
std::optional<double> clock(std::string_view text) {
  double days = 0;
  const auto dash = text.find('-');
  if (dash != text.npos) {
    const auto number = whole(text.substr(0, dash));
    if (!number)
      return {};
    days = static_cast<double>(*number);
    text.remove_prefix(dash + 1);
  }
  const auto first = text.find(':');
  const auto second = first == text.npos ? text.npos : text.find(':', first + 1);
  if (second == text.npos)
    return {};
  const auto hours = whole(text.substr(0, first));
  const auto minutes = whole(text.substr(first + 1, second - first - 1));
  const auto seconds = whole(text.substr(second + 1));
  const bool short_enough = second - first <= 3 && text.size() - second <= 3;
  if (!hours || !minutes || !seconds || !short_enough || *minutes > 59 || *seconds > 59
      || (dash != text.npos && *hours > 23))
    return {};
  return days * 86400 + static_cast<double>(*hours) * 3600
         + static_cast<double>(*minutes * 60 + *seconds);
}

std::optional<double> number_and_unit(std::string_view text) {
  double number = 0;
  const auto* end = text.data() + text.size();
  if (text.empty() || text[0] < '0' || text[0] > '9') // nor "-1", "nan" and ".5"
    return {};
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{})
    return {};
  auto name = std::string_view{stop, static_cast<std::size_t>(end - stop)};
  while (!name.empty() && name.front() == ' ')
    name.remove_prefix(1);
  for (const auto& unit : units)
    if (unit.name == name || (name.empty() && unit.name == "s"))
      if (const auto seconds = number * unit.times / unit.parts; std::isfinite(seconds))
        return seconds;
  return {};
}

} // namespace

std::chrono::duration<double> parse_duration(std::string_view text) {
  if (text == "inf")
    return std::chrono::duration<double>{endless};
  if (const auto seconds = number_and_unit(text))
    return std::chrono::duration<double>{*seconds};
  if (const auto seconds = clock(text))
    return std::chrono::duration<double>{*seconds};
  throw std::invalid_argument(in_quotes(text)
                              + " is not a duration; write it like 90s, 15m, "
                                "1.5h, 12:00:00 or 1-12:00:00");
}

std::string print_duration(std::chrono::duration<double> length) {
  const auto seconds = length.count();
  if (std::isinf(seconds) && seconds > 0)
    return "inf";
  for (const auto& unit : units) {
    const auto number = seconds * unit.parts / unit.times;
    // 1.5 s is easier to read than 1500 ms; beyond 2^53 every double is whole.
    const bool fits = number >= 1 && number < 0x1p53 && std::floor(number) == number
                      && (unit.parts == 1 || seconds < 1);
    if (!fits)
      continue;
    auto text = std::to_string(static_cast<std::int64_t>(number));
    text += unit.name;
    if (number_and_unit(text) == seconds)
      return text;
  }
  return shortest(seconds) + "s";
}

std::chrono::nanoseconds timespan_of(double seconds) {
  constexpr double longest = 1e9; // 64 bits hold at most nine times as many
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
    std::chrono::duration<double>(std::fmin(seconds, longest)));
}

std::string rounded_length(double seconds) {
  return print_duration(std::chrono::duration<double>(std::round(seconds * 10) / 10));
}

std::string clock_text(std::chrono::duration<double> length) {
  const auto seconds = std::ceil(length.count());
  if (seconds > 0x1p53)
    return "inf";
  const auto whole = seconds > 0 ? static_cast<std::int64_t>(seconds) : 0;
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

} // namespace troupe
