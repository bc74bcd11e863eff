// Dates and times of day in the cells of a table.
#pragma once

#include "base/types.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace troupe {

struct DateTime {
  std::optional<std::int64_t> days; ///< since 1970-01-01; none for a time alone
  std::optional<double> seconds;    ///< of the day; none for a date alone
};

enum class DateOrder { day_month, month_day };

/// Parses 2021-03-31, 2021/03/31, 31.03.2021, 31.03.21, 31/03/2021, 31 Mar 2021, March 31, 2021,
/// each with or without a time after it (10:30, 10:30:05.5, 10:30 PM, T10:30:05Z, +02:00), or a
/// time alone.
/// @param order of 31/03/2021 and 31-03-2021; with points the day comes first
std::optional<DateTime> date_in(std::string_view cell, DateOrder order);

/// A part of a date as a number: "number", "year", "month", "day", "weekday" (0 is Monday), "hour",
/// "minute", "second". "number" is days since 1970-01-01, or hours for a time alone. 0 for a part
/// that is missing.
double date_part(const DateTime& date, const std::string& part);

/// Collects from the cells of a column whether they are dates.
class DateForms {
public:
  void add(std::string_view cell, Index count = 1); ///< cells that are not missing

  bool agree() const { return cells_ > 0 && (day_month_ == cells_ || month_day_ == cells_); }
  /// All cells are dates in both orders, but different ones.
  bool depend_on_order() const { return agree() && day_month_ == month_day_ && different_; }
  DateOrder order() const {
    return day_month_ == cells_ ? DateOrder::day_month : DateOrder::month_day;
  }
  bool have_date() const { return dates_ > 0; }
  bool have_time() const { return times_ > 0; }

private:
  Index cells_ = 0, day_month_ = 0, month_day_ = 0, dates_ = 0, times_ = 0;
  bool different_ = false;
};

} // namespace troupe
