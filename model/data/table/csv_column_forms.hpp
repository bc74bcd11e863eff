#pragma once

#include "model/data/table/csv_dates.hpp"
#include "model/data/table/csv_numbers.hpp"

#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace troupe {

/// What the cells of a column contain: numbers, dates or words.
class ColumnForms {
public:
  ColumnForms() = default;
  /// Cells that are all plain numbers.
  /// @param definite_point one has a decimal point, as 1.5 has
  /// @param grouped one has a point that may group thousands, as 1.500 has
  ColumnForms(Index cells, bool definite_point, bool grouped);
  /// @param cells different texts that do not mean missing, and how many cells have each
  explicit ColumnForms(std::span<const std::pair<std::string_view, Index>> cells);

  Index known() const { return known_; } ///< cells that are not missing
  bool all_plain() const { return plain_ == known_; }
  bool are_numbers() const {
    return known_ > 0 && (all_plain() || (numbers_ && numbers_->agree()));
  }
  bool are_dates() const { return dates_ && dates_->agree(); }

  const DateForms& dates() const { return *dates_; } ///< only if there are dates
  /// Set if some cell is not plain, or where points may group thousands, as in 1.500.
  const std::optional<NumberForms>& numbers() const { return numbers_; }

  /// True if the column's numbers certainly have this decimal mark.
  bool need_point() const { return definite_point_ || (numbers_ && numbers_->need_point()); }
  bool need_comma() const { return numbers_ && numbers_->need_comma(); }

private:
  Index known_ = 0, plain_ = 0;
  bool definite_point_ = false;
  std::optional<NumberForms> numbers_;
  std::optional<DateForms> dates_;
};

} // namespace troupe
