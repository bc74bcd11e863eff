#include "model/data/table/csv_column_forms.hpp"

namespace troupe {

ColumnForms::ColumnForms(Index cells, bool definite_point, bool grouped)
  : known_(cells),
    plain_(cells),
    definite_point_(definite_point) {
  if (grouped && !definite_point)
    numbers_ = NumberForms::of_grouped(cells);
}

ColumnForms::ColumnForms(std::span<const std::pair<std::string_view, Index>> cells) {
  bool grouped = false;
  for (const auto& [text, count] : cells) {
    known_ += count;
    if (!parse_number(text))
      continue;
    plain_ += count;
    const auto point = point_of(text);
    definite_point_ = definite_point_ || point == Point::decimal;
    grouped = grouped || point == Point::either;
  }
  if (known_ == 0 || (all_plain() && (definite_point_ || !grouped)))
    return;
  definite_point_ = definite_point_ && all_plain();
  numbers_.emplace();
  dates_.emplace();
  bool dates = true;
  for (const auto& [text, count] : cells) {
    numbers_->add(text, count);
    if (dates) {
      dates_->add(text, count);
      dates = dates_->agree();
    }
  }
  if (!dates)
    dates_.reset();
}

} // namespace troupe
