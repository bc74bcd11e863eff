#include "model/data/table/csv_column_forms.hpp"

namespace troupe {

namespace {

/// What the point in a plain number can mean.
enum class Point { none, decimal, either };

/// 1.5 has a decimal point; the point in 1.500 may group thousands.
Point point_of(std::string_view number) {
  const auto point = number.find('.');
  if (point == number.npos)
    return Point::none;
  const auto sign = number.find_first_of("0123456789");
  const auto digits = number.find_first_not_of("0123456789", point + 1);
  const auto decimals = (digits == number.npos ? number.size() : digits) - point - 1;
  const bool grouped = decimals == 3 && digits == number.npos && sign < point && point - sign <= 3
                       && number[sign] != '0';
  return grouped ? Point::either : Point::decimal;
}

} // namespace

ColumnForms::ColumnForms(const Cells& cell, Index first_row, Index rows) {
  bool may_be_grouped = false;
  for (Index row = first_row; row < rows; ++row) {
    const auto text = cell(row);
    if (!text)
      continue;
    ++known_;
    if (!parse_number(*text))
      continue;
    ++plain_;
    if (definite_point_)
      continue;
    const auto point = point_of(*text);
    definite_point_ = point == Point::decimal;
    may_be_grouped = may_be_grouped || point == Point::either;
  }
  if (known_ == 0 || (all_plain() && (definite_point_ || !may_be_grouped)))
    return;
  definite_point_ = definite_point_ && all_plain();
  numbers_.emplace();
  dates_.emplace();
  bool dates = true;
  for (Index row = first_row; row < rows; ++row)
    if (const auto text = cell(row)) {
      numbers_->add(*text);
      if (dates) {
        dates_->add(*text);
        dates = dates_->agree();
      }
    }
  if (!dates)
    dates_.reset();
}

} // namespace troupe
