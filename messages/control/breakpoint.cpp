#include "messages/control/breakpoint.hpp"

#include "base/text/number_in.hpp"
#include "base/text/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace troupe {

namespace {

using BreakTest = Breakpoint::Test;

/// Those of two letters first, so that "<=" is not read as "<".
constexpr std::array<std::pair<std::string_view, BreakTest>, 6> comparisons{{
  {"<=", BreakTest::at_most},
  {">=", BreakTest::at_least},
  {"==", BreakTest::equal},
  {"!=", BreakTest::unequal},
  {"<", BreakTest::less},
  {">", BreakTest::more},
}};

constexpr std::array<std::pair<std::string_view, BreakTest>, 3> number_states{
  {{"nan", BreakTest::nan},
   {"infinite", BreakTest::infinite},
   {"not finite", BreakTest::not_finite}}};

[[noreturn]] void refuse_breakpoint(std::string_view text) {
  throw std::invalid_argument(in_quotes(text)
                              + " is no condition of a breakpoint; write it like 'loss is nan' or "
                                "'gradient_norm > 10'");
}

Breakpoint compared(std::string_view text, std::size_t place, std::string_view sign,
                    BreakTest test) {
  const auto name = trimmed(text.substr(0, place));
  const auto number = number_in<double>(trimmed(text.substr(place + sign.size())));
  if (name.empty() || name.find(' ') != std::string_view::npos || !number || std::isnan(*number))
    refuse_breakpoint(text);
  return {std::string{name}, test, *number,
          std::string{name} + " " + std::string{sign} + " " + shortest(*number)};
}

Breakpoint of_state(std::string_view text) {
  constexpr std::string_view verb = " is ";
  const auto place = text.find(verb);
  const auto name = trimmed(text.substr(0, place));
  if (place == std::string_view::npos || name.empty() || name.find(' ') != std::string_view::npos)
    refuse_breakpoint(text);
  const auto state = trimmed(text.substr(place + verb.size()));
  for (const auto& [word, test] : number_states)
    if (lower_case(state) == word)
      return {std::string{name}, test, 0, std::string{name} + " is " + std::string{word}};
  refuse_breakpoint(text);
}

} // namespace

bool Breakpoint::holds(double value) const {
  switch (test) {
  case BreakTest::less: return value < bound;
  case BreakTest::at_most: return value <= bound;
  case BreakTest::more: return value > bound;
  case BreakTest::at_least: return value >= bound;
  case BreakTest::equal: return value == bound;
  case BreakTest::unequal: return value != bound;
  case BreakTest::nan: return std::isnan(value);
  case BreakTest::infinite: return std::isinf(value);
  case BreakTest::not_finite: return !std::isfinite(value);
  }
  return false;
}

Breakpoint parse_breakpoint(std::string_view text) {
  for (const auto& [sign, test] : comparisons)
    if (const auto place = text.find(sign); place != std::string_view::npos)
      return compared(text, place, sign, test);
  return of_state(text);
}

const std::vector<std::string>& batch_values() {
  static const std::vector<std::string> names{"loss", "learning_rate", "batch", "epoch", "seconds"};
  return names;
}

std::uint64_t Breakpoints::add(Breakpoint breakpoint, const std::string& by) {
  all_[++made_] = {std::move(breakpoint), by, {}};
  return made_;
}

bool Breakpoints::need_records() const {
  const auto& known = batch_values();
  return std::any_of(all_.begin(), all_.end(), [&](const auto& one) {
    return std::find(known.begin(), known.end(), one.second.breakpoint.name) == known.end();
  });
}

std::vector<std::string> Breakpoints::lines() const {
  std::vector<std::string> lines;
  for (const auto& [number, set] : all_)
    lines.push_back("breakpoint " + std::to_string(number) + ": " + set.breakpoint.text
                    + ", set by " + set.by);
  return lines;
}

std::optional<Breakpoints::Hit> Breakpoints::met(const Records& values, std::size_t trainer,
                                                 std::uint64_t batch) {
  std::optional<Hit> first;
  for (auto& [number, set] : all_) {
    const auto found = values.find(set.breakpoint.name);
    const auto value = found == values.end() ? std::nullopt : as_number(found->second);
    if (!value || !set.breakpoint.holds(*value))
      continue;
    const auto [last, fresh] = set.last.try_emplace(trainer, batch);
    if ((fresh || std::exchange(last->second, batch) != batch) && !first)
      first = {number, set.breakpoint.text, *value};
  }
  return first;
}

} // namespace troupe
