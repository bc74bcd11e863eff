#include "model/data/table/csv_number_text.hpp"

#include "base/text/number_in.hpp"
#include "model/data/table/csv_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

namespace troupe {

namespace {

constexpr std::size_t most_unit = 24; // bytes

/// The length in bytes of the minus sign that begins at `at`, 0 if there is none: -, U+2212, and
/// the dashes that word processors replace it with, U+2010, U+2011 and U+2013.
std::size_t minus_length(std::string_view text, std::size_t at) {
  static constexpr std::array<std::string_view, 5> signs{"-", "\xE2\x88\x92", "\xE2\x80\x90",
                                                         "\xE2\x80\x91", "\xE2\x80\x93"};
  for (const auto sign : signs)
    if (at < text.size() && text.substr(at).starts_with(sign))
      return sign.size();
  return 0;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
}

/// True for a text that may precede an amount of money.
bool is_currency(std::string_view text) {
  static constexpr std::array<std::string_view, 45> currencies{
    "$",   "€",   "£",   "¥",   "₹",   "₽", "₩",   "₺",   "₪",   "₫",   "฿",   "₴",
    "₦",   "₱",   "¢",   "US$", "A$",  "C$",  "CA$", "AU$", "NZ$", "S$",  "HK$", "R$",
    "USD", "EUR", "GBP", "CHF", "JPY", "CNY", "INR", "SEK", "NOK", "DKK", "PLN", "CZK",
    "AUD", "CAD", "NZD", "Rs",  "Rs.", "kr",  "kr.", "Fr.", "zł"};
  return std::find(currencies.begin(), currencies.end(), text) != currencies.end();
}

/// True for a unit, a currency or a percent sign. Digits must follow a letter, otherwise they are a
/// second number. The endings of 1st, 2nd, 3rd and 4th are not units.
bool is_unit(std::string_view text) {
  if (text.size() > most_unit || text == "st" || text == "nd" || text == "rd" || text == "th")
    return false;
  char last = ' ';
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto c = text[at];
    if (minus_length(text, at) > 0)
      return false; // 10–20 are two numbers
    const bool letter = is_letter(c) || c == '%' || c == '$';
    const bool power = is_digit(c) && (is_letter(last) || last == '^');
    const bool joint = (c == '/' || c == '^' || c == '.' || c == ' ') && last != ' ';
    if (!letter && !power && !joint)
      return false;
    last = c;
  }
  return true;
}

/// Reads a cell from left to right.
class NumberScanner {
public:
  NumberScanner(std::string_view text, char decimal) : text_(text), decimal_(decimal) {}

  void skip_blanks() {
    while (const auto length = blank_length(text_, at_))
      at_ += length;
  }

  /// @returns -1, 1, or 0 if there is no sign.
  int sign() {
    const auto minus = minus_length(text_, at_);
    const bool plus = at_ < text_.size() && text_[at_] == '+';
    at_ += plus ? 1 : minus;
    return minus > 0 ? -1 : plus ? 1 : 0;
  }

  /// Everything up to a digit, a sign, or a decimal mark that a digit follows and no word precedes
  /// (Rs.500).
  std::string_view before() {
    const auto begin = at_;
    const auto is_number = [&] {
      return text_[at_] == decimal_ && digit_at(at_ + 1)
             && (at_ == begin || !is_letter(text_[at_ - 1]));
    };
    while (at_ < text_.size() && !is_digit(text_[at_]) && text_[at_] != '+'
           && minus_length(text_, at_) == 0 && !is_number())
      ++at_;
    return without_blanks(text_.substr(begin, at_ - begin));
  }

  /// Reads digits, their groups, decimals and exponent.
  /// @returns the number in the syntax of programs, "" if there is none
  std::string number() {
    std::string digits;
    if (!grouped_digits(digits))
      return "";
    const bool whole = !digits.empty();
    bool decimals = false;
    if (at_ < text_.size() && text_[at_] == decimal_ && (whole || digit_at(at_ + 1))) {
      decimals = true;
      ++at_;
      digits += '.';
      take_digits(digits);
    }
    if (digits.empty())
      return "";
    take_exponent(digits, decimals);
    return digits;
  }

  std::string_view rest() const { return text_.substr(at_); }

private:
  bool digit_at(std::size_t at) const { return at < text_.size() && is_digit(text_[at]); }

  std::size_t digits_from(std::size_t at) const {
    auto end = at;
    while (digit_at(end))
      ++end;
    return end - at;
  }

  void take_digits(std::string& digits) {
    const auto count = digits_from(at_);
    digits += text_.substr(at_, count);
    at_ += count;
  }

  /// The mark at `at` that may separate groups of digits.
  std::string_view group_mark(std::size_t at) const {
    constexpr std::string_view apostrophe = "\xE2\x80\x99";
    if (at >= text_.size())
      return "";
    if (const auto blank = blank_length(text_, at))
      return text_.substr(at, blank);
    if (text_.substr(at).starts_with(apostrophe))
      return apostrophe;
    const auto c = text_[at];
    return c == '\'' || ((c == ',' || c == '.') && c != decimal_) ? text_.substr(at, 1) : "";
  }

  /// 1,234,567, and the Indian form 12,34,567.
  bool grouped_digits(std::string& digits) {
    const auto first = digits_from(at_);
    const auto leading_zero = digit_at(at_) && text_[at_] == '0';
    take_digits(digits);
    const auto mark = group_mark(at_);
    if (first == 0 || mark.empty() || (blank_length(mark, 0) > 0 && !digit_at(at_ + mark.size())))
      return true;
    if (first > 3 || leading_zero)
      return false;
    while (group_mark(at_) == mark) {
      const auto count = digits_from(at_ + mark.size());
      const bool indian = mark == "," && count == 2 && group_mark(at_ + mark.size() + 2) == mark;
      if (count == 0 && blank_length(mark, 0) > 0)
        return true; // a unit follows
      if (count != 3 && !indian)
        return false;
      at_ += mark.size();
      take_digits(digits);
    }
    return true;
  }

  /// Fortran's D is an exponent only with a sign or after decimals: 2d6 is a pair of dice.
  void take_exponent(std::string& digits, bool decimals) {
    const auto letter = at_ < text_.size() ? text_[at_] : ' ';
    if (letter != 'e' && letter != 'E' && letter != 'd' && letter != 'D')
      return;
    auto at = at_ + 1;
    std::string sign;
    if (const auto minus = minus_length(text_, at)) {
      sign = "-";
      at += minus;
    } else if (at < text_.size() && text_[at] == '+') {
      ++at;
    }
    const bool has_sign = at > at_ + 1;
    if (!digit_at(at) || ((letter == 'd' || letter == 'D') && !has_sign && !decimals))
      return;
    at_ = at;
    digits += "e" + sign;
    take_digits(digits);
  }

  std::string_view text_;
  char decimal_;
  std::size_t at_ = 0;
};

} // namespace

std::optional<WrittenNumber> written_number(std::string_view cell, char decimal) {
  cell = without_blanks(cell);
  if (std::none_of(cell.begin(), cell.end(), is_digit))
    return std::nullopt;
  if (cell.starts_with('\'') && cell.ends_with('\'')) // single quotes do not quote in a CSV file
    cell = without_blanks(cell.substr(1, cell.size() - 2));
  WrittenNumber written;
  if (cell.starts_with('(') && cell.ends_with(')')) {
    written.accounting = true;
    cell = without_blanks(cell.substr(1, cell.size() - 2));
  }
  NumberScanner scanner(cell, decimal);
  auto sign = scanner.sign();
  scanner.skip_blanks();
  written.before = scanner.before();
  if (!written.before.empty() && !is_currency(written.before))
    return std::nullopt;
  if (sign == 0)
    sign = scanner.sign();
  if (written.accounting && sign != 0)
    return std::nullopt;
  const auto value = number_in<double>(scanner.number());
  if (!value || !(std::abs(*value) <= std::numeric_limits<float>::max()))
    return std::nullopt;
  written.after = without_blanks(scanner.rest());
  if (sign == 0 && !written.accounting && !written.after.empty()
      && minus_length(written.after, 0) == written.after.size()) {
    written.accounting = true;
    written.after = {};
  }
  if (!is_unit(written.after))
    return std::nullopt;
  written.value = sign < 0 || written.accounting ? -*value : *value;
  return written;
}

} // namespace troupe
