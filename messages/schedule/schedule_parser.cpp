#include "messages/schedule/position.hpp"
#include "messages/schedule/schedule.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace troupe {

namespace {

/// Recursive descent over
///
///   any    = all { "|" all }
///   all    = one { "&" one }
///   one    = "~" one | "(" any ")" | "never" | "always"
///          | ("each" | "at") "(" number { "," number } [ timeline ] ")"
class Parser {
public:
  Parser(std::string_view text, const std::vector<std::string>& registered)
    : text_(text),
      registered_(registered) {}

  Schedule parse() {
    auto schedule = any();
    skip_blanks();
    if (at_ < text_.size())
      fail(at_, "expected '&', '|' or the end, found " + found());
    return schedule;
  }

private:
  // Each nesting level takes a few stack frames, and the text may come from another node.
  static constexpr int deepest = 2 * Schedule::deepest + 8;

  [[noreturn]] void fail(std::size_t place, const std::string& sentence) const {
    throw std::invalid_argument("column " + std::to_string(place + 1)
                                + " of the schedule: " + sentence);
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n'))
      ++at_;
  }

  bool accept(char c) {
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != c)
      return false;
    ++at_;
    return true;
  }

  void expect(char c, const std::string& expected) {
    if (!accept(c))
      fail(at_, "expected " + expected + ", found " + found());
  }

  std::string found() const {
    if (at_ == text_.size())
      return "the end";
    const auto c = static_cast<unsigned char>(text_[at_]);
    return c > 32 && c < 127 ? "'" + std::string(1, text_[at_]) + "'" : "byte " + std::to_string(c);
  }

  std::string_view word() {
    skip_blanks();
    const auto begin = at_;
    auto belongs = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    while (at_ < text_.size() && belongs(text_[at_]))
      ++at_;
    return text_.substr(begin, at_ - begin);
  }

  double number() {
    skip_blanks();
    double x = 0;
    const auto* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), x);
    if (error == std::errc::result_out_of_range)
      fail(at_, "this number is too large or too small");
    if (error != std::errc{})
      fail(at_, "expected a number, found " + found());
    at_ += static_cast<std::size_t>(end - begin);
    return x;
  }

  template <class Part>
  Schedule list(Schedule::Kind kind, char separator, Part part) {
    skip_blanks();
    const auto begin = at_;
    std::vector<Schedule> parts{part()};
    while (accept(separator))
      parts.push_back(part());
    return checked(begin, [&] { return Schedule::combine(kind, std::move(parts)); });
  }

  /// Adds the column to errors of the value itself.
  template <class Make>
  Schedule checked(std::size_t place, Make make) const {
    try {
      return make();
    } catch (const std::invalid_argument& error) {
      fail(place, error.what());
    }
  }

  Schedule any() {
    return list(Schedule::Kind::any, '|', [this] { return all(); });
  }

  Schedule all() {
    return list(Schedule::Kind::all, '&', [this] { return one(); });
  }

  Schedule one() {
    skip_blanks();
    const auto begin = at_;
    if (++depth_ > deepest)
      fail(begin, "more than " + std::to_string(deepest) + " nested brackets");
    Schedule result;
    if (accept('~')) {
      result = one();
      result = checked(begin, [&] { return ~result; });
    } else if (accept('(')) {
      result = any();
      expect(')', "'&', '|' or ')'");
    } else {
      result = times();
    }
    --depth_;
    return result;
  }

  Schedule times() {
    skip_blanks();
    const auto begin = at_;
    const auto name = word();
    if (name == "never")
      return never();
    if (name == "always")
      return always();
    if (name != "each" && name != "at") {
      at_ = begin;
      fail(begin, "expected each(...), at(...), always, never, '~' or '(', found "
                    + (name.empty() ? found() : "'" + std::string{name.substr(0, 40)} + "'"));
    }
    expect('(', "'('");
    skip_blanks();
    const auto first = at_;
    std::vector<double> numbers{number()};
    while (name == "at" && accept(','))
      numbers.push_back(number());
    const auto unit = timeline();
    expect(')', name == "at" ? "',', a timeline or ')'" : "a timeline or ')'");
    return checked(first, [&] {
      return (name == "each" ? each(numbers.front()) : at(std::move(numbers))).on(unit);
    });
  }

  std::string timeline() {
    skip_blanks();
    const auto begin = at_;
    std::string name{word()};
    if (name.empty())
      return "batches";
    auto known = [&](const std::string& one) { return one == name || one == "*"; };
    if (!is_builtin_timeline(name) && std::none_of(registered_.begin(), registered_.end(), known))
      fail(begin, unknown_timeline(name.substr(0, 40), registered_));
    return name;
  }

  std::string_view text_;
  const std::vector<std::string>& registered_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

} // namespace

Schedule parse_schedule(std::string_view text, const std::vector<std::string>& registered) {
  return Parser{text, registered}.parse();
}

} // namespace troupe
