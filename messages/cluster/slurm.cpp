#include "messages/cluster/slurm.hpp"

#include "base/text/number_in.hpp"
#include "base/text/split.hpp"
#include "base/text/text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <iterator>
#include <limits>
#include <stdexcept>

namespace troupe {

namespace {

using Clock = std::chrono::system_clock;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// All of `text` as digits, e.g. "007"; nothing from 10^12 on.
std::optional<std::int64_t> whole_number(std::string_view text) {
  const auto value = number_in<std::int64_t>(text);
  return value && !text.starts_with('-') && *value < 1'000'000'000'000 ? value : std::nullopt;
}

std::string padded(std::int64_t number, std::size_t width) {
  const auto digits = std::to_string(number);
  return std::string(width > digits.size() ? width - digits.size() : 0, '0') + digits;
}

/// One pass from left to right; each size is checked before names are built.
class NodeListReader {
public:
  explicit NodeListReader(std::string_view text) : text_{text} {}

  std::vector<std::string> all() {
    do
      name();
    while (take(','));
    if (at_ < text_.size())
      fail("a comma, or a letter, digit, '-', '_' or '.' of a name");
    return std::move(names_);
  }

private:
  // "r[1-2]n[01-03]x": the names so far, each continued with each expansion.
  void name() {
    const auto start = at_;
    std::vector<std::string> stems{""};
    for (;;) {
      const auto literal_start = at_;
      while (at_ < text_.size() && in_name(text_[at_]))
        ++at_;
      const auto literal = text_.substr(literal_start, at_ - literal_start);
      if (stems.front().size() + literal.size() > longest_node_name)
        fail_too_long();
      for (auto& stem : stems)
        stem += literal;
      if (!take('['))
        break;
      stems = continued(stems, bracket(stems.size()));
    }
    if (at_ == start)
      fail("the name of a node");
    if (names_.size() + stems.size() > most_nodes)
      fail_too_many();
    std::move(stems.begin(), stems.end(), std::back_inserter(names_));
  }

  std::vector<std::string> continued(const std::vector<std::string>& stems,
                                     const std::vector<std::string>& numbers) const {
    std::vector<std::string> result;
    for (const auto& stem : stems)
      for (const auto& number : numbers) {
        result.push_back(stem + number);
        if (result.back().size() > longest_node_name)
          fail_too_long();
      }
    return result;
  }

  // The content of brackets, "1-3,7]"; each number is used in `times` names.
  std::vector<std::string> bracket(std::size_t times) {
    std::vector<std::string> numbers;
    do {
      const auto start = at_;
      const auto first = number();
      const auto digits = at_ - start;
      const auto width = text_[start] == '0' ? digits : 0;
      const auto second_start = at_ + 1;
      const auto last = take('-') ? number() : first;
      if (last < first) {
        at_ = second_start;
        fail("a number from " + std::to_string(first) + " on");
      }
      if (static_cast<std::uint64_t>(last - first) >= most_nodes
          || (numbers.size() + static_cast<std::size_t>(last - first) + 1) * times > most_nodes)
        fail_too_many();
      for (auto n = first; n <= last; ++n)
        numbers.push_back(padded(n, width));
    } while (take(','));
    if (!take(']'))
      fail("']', ',' or '-'");
    return numbers;
  }

  std::int64_t number() {
    const auto start = at_;
    while (at_ < text_.size() && is_digit(text_[at_]))
      ++at_;
    const auto value
      = at_ - start > 20 ? std::nullopt : whole_number(text_.substr(start, at_ - start));
    if (!value) {
      const bool none = at_ == start;
      at_ = start;
      fail(none ? "a number" : "a number of at most 12 digits");
    }
    return *value;
  }

  static bool in_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '-' || c == '_'
           || c == '.';
  }

  bool take(char c) {
    const bool there = at_ < text_.size() && text_[at_] == c;
    at_ += there ? 1 : 0;
    return there;
  }

  std::string start_of_sentence() const { return "node list " + in_quotes(text_) + " "; }

  [[noreturn]] void fail(const std::string& expected) const {
    throw std::invalid_argument(start_of_sentence() + "is broken at column "
                                + std::to_string(at_ + 1) + ": expected " + expected);
  }
  [[noreturn]] void fail_too_many() const {
    throw std::invalid_argument(start_of_sentence() + "has more than " + std::to_string(most_nodes)
                                + " names at column " + std::to_string(at_)
                                + "; is a range mistyped?");
  }
  [[noreturn]] void fail_too_long() const {
    throw std::invalid_argument(start_of_sentence() + "has a name of more than "
                                + std::to_string(longest_node_name) + " letters at column "
                                + std::to_string(at_) + "; write a shorter one");
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<std::string> names_;
};

// The fields of a clock, at most three; nothing for "", "1:", "1:2:3:4", "1:60".
std::optional<std::vector<std::int64_t>> clock_fields(std::string_view text) {
  std::vector<std::int64_t> fields;
  for (const auto& field : split_at(':', text)) {
    const auto number = whole_number(field);
    const bool later = !fields.empty();
    if (!number || fields.size() == 3 || (later && (*number > 59 || field.size() > 2)))
      return {};
    fields.push_back(*number);
  }
  return fields;
}

std::optional<std::int64_t> slurm_seconds(std::string_view text) {
  const auto dash = text.find('-');
  const bool has_days = dash != text.npos;
  const auto days = has_days ? whole_number(text.substr(0, dash)) : 0;
  const auto fields = clock_fields(has_days ? text.substr(dash + 1) : text);
  if (!days || !fields || (has_days && fields->front() > 23))
    return {};
  const auto& f = *fields;
  const auto at = [&f](std::size_t i) { return i < f.size() ? f[i] : 0; };
  if (has_days)
    return *days * 86'400 + at(0) * 3600 + at(1) * 60 + at(2);
  return f.size() == 3 ? f[0] * 3600 + f[1] * 60 + f[2] : f[0] * 60 + at(1);
}

bool has_no_end(std::string_view text) { return text == "UNLIMITED" || text == "INFINITE"; }

} // namespace

bool is_unknown_to_slurm(std::string_view text) {
  constexpr std::array<std::string_view, 6> words{"NOT_SET", "INVALID", "N/A",
                                                  "NONE",    "UNKNOWN", "(NULL)"};
  return std::find(words.begin(), words.end(), upper_case(text)) != words.end();
}

std::optional<std::chrono::duration<double>> shortest_time_left(std::string_view answer) {
  std::optional<std::chrono::duration<double>> shortest;
  for (const auto& each : split_at('\n', answer)) {
    const auto line = upper_case(trimmed(each));
    const auto seconds = slurm_seconds(line);
    if (!seconds && !has_no_end(line))
      continue;
    const auto left = parse_slurm_time(line);
    shortest = shortest ? std::min(*shortest, left) : left;
  }
  return shortest;
}

std::vector<std::string> expand_node_list(std::string_view list) {
  return NodeListReader{list}.all();
}

std::chrono::duration<double> parse_slurm_time(std::string_view text) {
  using Seconds = std::chrono::duration<double>;
  if (has_no_end(text))
    return Seconds{std::numeric_limits<double>::infinity()};
  if (const auto seconds = slurm_seconds(text))
    return Seconds{static_cast<double>(*seconds)};
  throw std::invalid_argument(
    in_quotes(text)
    + " is not a Slurm time; write it like 90 (minutes), 90:00, 12:00:00, "
      "1-12, 1-12:00:00 or UNLIMITED");
}

std::optional<Clock::time_point> job_end(const std::map<std::string, std::string>& variables,
                                         const std::string& name) {
  const auto found = variables.find(name);
  if (found == variables.end() || found->second.empty() || is_unknown_to_slurm(found->second)
      || has_no_end(upper_case(found->second)))
    return {};
  const auto seconds = whole_number(found->second);
  if (!seconds || *seconds > 0xffff'ffff)
    throw std::invalid_argument(name + " is " + in_quotes(found->second)
                                + ", not a number of seconds since 1970; correct or unset it");
  // Slurm encodes "not known" and "never" as the highest 32-bit numbers.
  if (*seconds == 0 || *seconds >= 0xffff'fffe)
    return {};
  return Clock::time_point{std::chrono::seconds{*seconds}};
}

std::optional<Clock::time_point> job_end(Clock::time_point now, std::string_view time_left) {
  return job_end(now, parse_slurm_time(time_left));
}

std::optional<Clock::time_point> job_end(Clock::time_point now,
                                         std::chrono::duration<double> left) {
  constexpr auto century = 100 * 365.25 * 86'400; // more overflows the clock's nanoseconds
  if (left.count() > century)
    return {};
  return now + std::chrono::seconds{static_cast<std::int64_t>(left.count())};
}

std::chrono::steady_clock::time_point drain_moment(std::chrono::steady_clock::time_point end,
                                                   std::chrono::seconds margin) {
  if (margin.count() < 0)
    throw std::invalid_argument("the margin before the end of the job is "
                                + std::to_string(margin.count())
                                + " s; give 0 or more, or the job is killed first");
  return end - margin;
}

} // namespace troupe
