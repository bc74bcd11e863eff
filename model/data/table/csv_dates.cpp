#include "model/data/table/csv_dates.hpp"

#include "model/data/table/csv_text.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

namespace troupe {

namespace {

using Calendar = std::chrono::year_month_day;

/// Reads a date and a time from left to right.
class DateScanner {
public:
  explicit DateScanner(std::string_view text) : text_(text) {}

  bool at_end() const { return at_ == text_.size(); }

  bool take(char c) {
    const bool there = at_ < text_.size() && text_[at_] == c;
    at_ += there ? 1 : 0;
    return there;
  }

  /// A number with at least `least` and at most `most` digits.
  std::optional<int> number(std::size_t least, std::size_t most) {
    std::size_t digits = 0;
    int value = 0;
    while (digit(at_ + digits) && digits < most)
      value = 10 * value + (text_[at_ + digits++] - '0');
    if (digits < least || digit(at_ + digits))
      return std::nullopt;
    at_ += digits;
    return value;
  }

  /// 2021, or 21 in the century that POSIX assumes: 1969 to 2068.
  std::optional<int> year() {
    const auto begin = at_;
    if (const auto whole = number(4, 4))
      return whole;
    at_ = begin;
    const auto end = number(2, 2);
    return end ? std::optional{*end + (*end < 69 ? 2000 : 1900)} : std::nullopt;
  }

  /// Mar, March, mar.
  std::optional<int> month() {
    static constexpr std::array<std::string_view, 12> months{
      "january", "february", "march",     "april",   "may",      "june",
      "july",    "august",   "september", "october", "november", "december"};
    std::string word;
    while (at_ + word.size() < text_.size() && is_ascii_letter(text_[at_ + word.size()]))
      word += static_cast<char>(text_[at_ + word.size()] | 0x20);
    if (word.size() < 3)
      return std::nullopt;
    for (std::size_t i = 0; i < months.size(); ++i)
      if (months[i].starts_with(word)) {
        at_ += word.size();
        take('.');
        return static_cast<int>(i) + 1;
      }
    return std::nullopt;
  }

  /// -, /, . or a blank, or a comma and a blank: the separators within a date.
  char mark() {
    for (const auto c : {'-', '/', '.', ' ', ','})
      if (take(c)) {
        if (c == ',' || c == '.')
          take(' ');
        return c;
      }
    return '\0';
  }

  std::optional<double> decimals() {
    double value = 0, place = 0.1;
    if (!digit(at_))
      return std::nullopt;
    for (; digit(at_); ++at_, place /= 10)
      value += place * (text_[at_] - '0');
    return value;
  }

  std::size_t place() const { return at_; }
  void go_back(std::size_t at) { at_ = at; }

private:
  static bool is_ascii_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
  bool digit(std::size_t at) const {
    return at < text_.size() && text_[at] >= '0' && text_[at] <= '9';
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

std::optional<std::int64_t> days_of(int year, int month, int day) {
  const Calendar date{std::chrono::year{year}, std::chrono::month{static_cast<unsigned>(month)},
                      std::chrono::day{static_cast<unsigned>(day)}};
  if (!date.ok())
    return std::nullopt;
  return std::chrono::sys_days{date}.time_since_epoch().count();
}

std::optional<std::int64_t> date_of(DateScanner& scanner, DateOrder order) {
  if (const auto named = scanner.month()) { // March 31, 2021
    scanner.take(' ');
    const auto day = scanner.number(1, 2);
    const auto mark = scanner.mark();
    const auto year = scanner.number(4, 4);
    return day && mark != '\0' && year ? days_of(*year, *named, *day) : std::nullopt;
  }
  const auto begin = scanner.place();
  if (const auto year = scanner.number(4, 4)) {
    const auto mark = scanner.mark();
    const auto month = scanner.number(1, 2);
    const bool same = mark != '\0' && mark != ' ' && scanner.take(mark);
    const auto day = scanner.number(1, 2);
    return same && month && day ? days_of(*year, *month, *day) : std::nullopt;
  }
  scanner.go_back(begin);
  const auto first = scanner.number(1, 2);
  const auto mark = scanner.mark();
  if (!first || mark == '\0')
    return std::nullopt;
  if (const auto named = scanner.month()) { // 31-Mar-2021
    const auto year = scanner.mark() != '\0' ? scanner.number(4, 4) : std::nullopt;
    return year ? days_of(*year, *named, *first) : std::nullopt;
  }
  const auto second = mark != ' ' && mark != ',' ? scanner.number(1, 2) : std::nullopt;
  const auto year = second && scanner.take(mark) ? scanner.year() : std::nullopt;
  if (!year)
    return std::nullopt;
  return mark == '.' || order == DateOrder::day_month ? days_of(*year, *second, *first)
                                                      : days_of(*year, *first, *second);
}

/// The offset in seconds of the time zone after a time; 0 if there is none.
std::optional<double> zone_of(DateScanner& scanner) {
  if (scanner.take('Z') || scanner.at_end())
    return 0;
  const bool east = scanner.take('+');
  if (!east && !scanner.take('-'))
    return std::nullopt;
  const auto hours = scanner.number(2, 2);
  scanner.take(':');
  const auto minutes = hours && !scanner.at_end() ? scanner.number(2, 2) : std::optional{0};
  if (!hours || !minutes)
    return std::nullopt;
  return (east ? 1 : -1) * 60. * (60 * *hours + *minutes);
}

/// Seconds of the day in UTC, which may lie before or after that day.
std::optional<double> time_of(DateScanner& scanner) {
  auto hour = scanner.number(1, 2);
  if (!hour || *hour > 24 || !scanner.take(':'))
    return std::nullopt;
  const auto minute = scanner.number(2, 2);
  double seconds = 0;
  if (scanner.take(':')) {
    const auto whole = scanner.number(2, 2);
    if (!whole || *whole > 60)
      return std::nullopt;
    seconds = *whole;
    if (scanner.take('.')) {
      const auto decimals = scanner.decimals();
      if (!decimals)
        return std::nullopt;
      seconds += *decimals;
    }
  }
  if (!minute || *minute > 59)
    return std::nullopt;
  scanner.take(' ');
  const bool morning = scanner.take('A') || scanner.take('a');
  const bool evening = !morning && (scanner.take('P') || scanner.take('p'));
  if (morning || evening) {
    if (!(scanner.take('M') || scanner.take('m')) || *hour < 1 || *hour > 12)
      return std::nullopt;
    *hour = *hour % 12 + (evening ? 12 : 0);
  }
  const auto zone = zone_of(scanner);
  return zone ? std::optional{3600. * *hour + 60. * *minute + seconds - *zone} : std::nullopt;
}

} // namespace

std::optional<DateTime> date_in(std::string_view cell, DateOrder order) {
  constexpr std::size_t least = 4, most = 40; // bytes
  constexpr double day = 86400;               // seconds
  cell = without_blanks(cell);
  if (cell.size() < least || cell.size() > most)
    return std::nullopt;
  DateTime date;
  DateScanner only_time(cell);
  date.seconds = time_of(only_time);
  if (date.seconds && only_time.at_end())
    return date;
  DateScanner scanner(cell);
  date.days = date_of(scanner, order);
  date.seconds = std::nullopt;
  if (!date.days)
    return std::nullopt;
  if (scanner.at_end())
    return date;
  scanner.take(',');
  if (!scanner.take(' ') && !scanner.take('T'))
    return std::nullopt;
  date.seconds = time_of(scanner);
  if (!date.seconds || !scanner.at_end())
    return std::nullopt;
  while (*date.seconds < 0 || *date.seconds >= day) { // another day in UTC
    const auto turn = *date.seconds < 0 ? -1 : 1;
    *date.days += turn;
    *date.seconds -= turn * day;
  }
  return date;
}

double date_part(const DateTime& date, const std::string& part) {
  const auto days = date.days.value_or(0);
  const auto seconds = date.seconds.value_or(0);
  if (part == "number")
    return date.days ? static_cast<double>(days) + seconds / 86400 : seconds / 3600;
  if (part == "hour")
    return std::floor(seconds / 3600);
  if (part == "minute")
    return std::floor(std::fmod(seconds, 3600) / 60);
  if (part == "second")
    return std::fmod(seconds, 60);
  const std::chrono::sys_days place{std::chrono::days{days}};
  if (part == "weekday")
    return std::chrono::weekday{place}.iso_encoding() - 1;
  const Calendar calendar{place};
  return part == "year"    ? static_cast<double>(static_cast<int>(calendar.year()))
         : part == "month" ? static_cast<double>(static_cast<unsigned>(calendar.month()))
                           : static_cast<double>(static_cast<unsigned>(calendar.day()));
}

void DateForms::add(std::string_view cell, Index count) {
  cells_ += count;
  const auto first = date_in(cell, DateOrder::day_month),
             second = date_in(cell, DateOrder::month_day);
  day_month_ += first ? count : 0;
  month_day_ += second ? count : 0;
  different_ = different_ || (first && second && first->days != second->days);
  const auto& date = first ? first : second;
  dates_ += date && date->days ? count : 0;
  times_ += date && date->seconds ? count : 0;
}

} // namespace troupe
