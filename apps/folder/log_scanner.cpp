#include "apps/folder/log_scanner.hpp"

#include "apps/folder/run_log.hpp"
#include "base/text/number_in.hpp"

#include <nlohmann/json.hpp>

#include <charconv>
#include <cmath>
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

  /// A text in quotes; false for one with escapes, or with other bytes than those of ASCII, whose
  /// order a reader of JSON checks.
  bool text(std::string_view& text) {
    if (!take("\""))
      return false;
    const auto* begin = at_;
    while (at_ != end_ && *at_ != '"' && *at_ != '\\' && static_cast<signed char>(*at_) >= ' ')
      ++at_;
    if (at_ == end_ || *at_ != '"')
      return false;
    text = {begin, static_cast<std::size_t>(at_ - begin)};
    ++at_;
    return true;
  }

  template <class Number>
  bool number(Number& number) {
    if (end_ - at_ > 1 && at_[0] == '0' && at_[1] >= '0' && at_[1] <= '9')
      return false;
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
    if (end_ - at_ > 2 && at_[0] == '-' && at_[1] == '0' && at_[2] >= '0' && at_[2] <= '9')
      return false;
    return number(value) && at_[-1] >= '0' && at_[-1] <= '9';
  }

  bool at_text() const { return at_ != end_ && *at_ == '"'; }
  bool at_end() const { return at_ == end_; }
  const char* at() const { return at_; }
  std::string_view since(const char* begin) const {
    return {begin, static_cast<std::size_t>(at_ - begin)};
  }

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
  auto& record = row.records.emplace_back();
  if (!scan.text(record.name) || !scan.take(":"))
    return false;
  if (scan.at_text()) {
    if (!scan.text(record.text))
      return false;
    record.is_text = !number_name(record.text, record.number);
    if (record.is_text)
      record.number = std::numeric_limits<double>::quiet_NaN();
    return true;
  }
  const auto* begin = scan.at();
  if (scan.take("true"))
    record.number = 1;
  else if (!scan.take("false") && !scan.real(record.number))
    return false;
  record.text = scan.since(begin);
  return true;
}

bool scan_seconds(RowScanner& scan, ScannedRow& row) {
  const auto* begin = scan.at();
  if (!scan.real(row.seconds))
    return false;
  row.seconds_text = scan.since(begin);
  return true;
}

Value typed_value(const ScannedRecord& record) {
  if (record.is_text)
    return Value{std::string{record.text}};
  if (record.text == "true" || record.text == "false")
    return Value{record.number != 0};
  if (const auto whole = number_in<std::int64_t>(record.text))
    return Value{*whole};
  return Value{record.number};
}

std::string text_of_number(double number) {
  if (std::isfinite(number))
    return nlohmann::json(number).dump();
  return std::isnan(number) ? "NaN" : number > 0 ? "Infinity" : "-Infinity";
}

std::string text_of_value(const Value& value) {
  const auto* number = std::get_if<double>(&value);
  return number != nullptr ? text_of_number(*number) : to_string(value);
}

} // namespace

bool scan_row(std::string_view line, ScannedRow& row) {
  row.records.clear();
  RowScanner scan{line};
  row.line = line;
  if (!scan.take("{\"run\":") || !scan.text(row.run) || !scan.take(",\"worker\":")
      || !scan.number(row.worker) || !scan.take(",\"batch\":") || !scan.number(row.batch)
      || !scan.take(",\"epoch\":") || !scan.number(row.epoch) || !scan.take(",\"seconds\":")
      || !scan_seconds(scan, row) || !scan.take(",\"time\":") || !scan.text(row.time)
      || !scan.take(",\"records\":{"))
    return false;
  if (!scan.take("}"))
    do {
      if (!scan_record(scan, row))
        return false;
    } while (scan.take(",") || !scan.take("}"));
  return scan.take("}") && scan.at_end();
}

bool read_row(std::string_view line, ScannedRow& row) {
  if (scan_row(line, row))
    return true;
  if (!is_row(line))
    return false;
  const auto other = logged_row(line);
  if (other)
    scan(*other, row);
  return other.has_value();
}

void scan(const LoggedRow& from, ScannedRow& row) {
  row.texts.clear();
  row.records.clear();
  row.line = {};
  const auto kept = [&row](std::string text) -> std::string_view {
    return row.texts.emplace_back(std::move(text));
  };
  row.worker = from.row.worker;
  row.batch = from.row.batch;
  row.epoch = from.epoch;
  row.seconds = from.seconds;
  row.run = kept(from.run);
  row.seconds_text = kept(nlohmann::json(from.seconds).dump()); // null if it is not finite
  row.time = kept(from.time);
  for (const auto& [name, value] : from.records) {
    const auto text = kept(text_of_value(value));
    row.records.push_back(
      {kept(name), text, number_of(value), std::holds_alternative<std::string>(value)});
  }
}

LoggedRow logged_row(const ScannedRow& row) {
  LoggedRow logged{std::string{row.run},
                   std::string{row.time},
                   {row.worker, row.batch},
                   row.epoch,
                   row.seconds,
                   {}};
  for (const auto& record : row.records)
    logged.records[std::string{record.name}] = typed_value(record);
  return logged;
}

} // namespace troupe
