#include "apps/run_index/log_scanner.hpp"

#include <charconv>
#include <limits>

namespace troupe {

namespace {

class RowScanner {
public:
  explicit RowScanner(std::string_view line) : at_(line.data()), end_(at_ + line.size()) {}

  bool take(std::string_view text) {
    if (static_cast<std::size_t>(end_ - at_) < text.size()
        || std::string_view{at_, text.size()} != text)
      return false;
    at_ += text.size();
    return true;
  }

  /// A text in quotes; false for one with escapes.
  bool text(std::string_view& text) {
    if (!take("\""))
      return false;
    const auto* begin = at_;
    while (at_ != end_ && *at_ != '"' && *at_ != '\\')
      ++at_;
    if (at_ == end_ || *at_ == '\\')
      return false;
    text = {begin, static_cast<std::size_t>(at_ - begin)};
    ++at_;
    return true;
  }

  template <class Number>
  bool number(Number& number) {
    const auto [stop, error] = std::from_chars(at_, end_, number);
    if (error != std::errc{})
      return false;
    at_ = stop;
    return true;
  }

  /// A number that JSON has: none of the names that `number` also takes.
  bool real(double& value) {
    if (at_ == end_ || !(*at_ == '-' || (*at_ >= '0' && *at_ <= '9')))
      return false;
    return number(value) && at_[-1] >= '0' && at_[-1] <= '9';
  }

  bool at_text() const { return at_ != end_ && *at_ == '"'; }
  bool at_end() const { return at_ == end_; }

private:
  const char *at_, *end_;
};

bool number_name(std::string_view text, double& value) {
  constexpr auto infinity = std::numeric_limits<double>::infinity();
  if (text == "NaN")
    value = std::numeric_limits<double>::quiet_NaN();
  else if (text == "Infinity" || text == "-Infinity")
    value = text[0] == '-' ? -infinity : infinity;
  else
    return false;
  return true;
}

bool scan_record(RowScanner& scan, ScannedRow& row) {
  std::string_view name;
  std::string_view text;
  double value = 0;
  if (!scan.text(name) || !scan.take(":"))
    return false;
  if (scan.at_text()) {
    if (!scan.text(text))
      return false;
    if (number_name(text, value))
      row.numbers.emplace_back(name, value);
    else
      row.texts.emplace_back(name, text);
    return true;
  }
  if (scan.take("true"))
    value = 1;
  else if (!scan.take("false") && !scan.real(value))
    return false;
  row.numbers.emplace_back(name, value);
  return true;
}

} // namespace

bool scan_row(std::string_view line, ScannedRow& row) {
  row.numbers.clear();
  row.texts.clear();
  RowScanner scan{line};
  std::string_view run;
  if (!scan.take("{\"run\":") || !scan.text(run) || !scan.take(",\"worker\":")
      || !scan.number(row.worker) || !scan.take(",\"batch\":") || !scan.number(row.batch)
      || !scan.take(",\"epoch\":") || !scan.number(row.epoch) || !scan.take(",\"seconds\":")
      || !scan.real(row.seconds) || !scan.take(",\"time\":") || !scan.text(row.time)
      || !scan.take(",\"records\":{"))
    return false;
  if (!scan.take("}"))
    do {
      if (!scan_record(scan, row))
        return false;
    } while (scan.take(",") || !scan.take("}"));
  return scan.take("}") && scan.at_end();
}

} // namespace troupe
