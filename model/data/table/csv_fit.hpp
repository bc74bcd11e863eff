#pragma once

#include "model/data/problem.hpp"
#include "model/data/table/csv_dates.hpp"
#include "model/data/table/csv_numbers.hpp"

#include <string>
#include <vector>

namespace troupe {

/// What the training rows say of a column: it has numbers, or levels.
struct ColumnFit {
  std::string name;
  bool numeric = true;
  double mean = 0;                      ///< of numbers; what a missing one becomes
  double deviation = 0;                 ///< of numbers; 0: all are the same
  bool standardized = false;            ///< numbers: x becomes (x - mean) / deviation
  std::vector<std::string> levels = {}; ///< otherwise, sorted; "" is a missing one
  NumberStyle style = {};               ///< how numbers are written
  std::string date = {};                ///< the part of a date that is the number: date_part
  DateOrder order = DateOrder::day_month;
};

/// What is known of the column to predict.
struct TargetFit {
  std::string name;
  std::vector<std::string> classes = {}; ///< in the order of their numbers; none: a regression
  double mean = 0, deviation = 1;        ///< of a regression: its unit is mean + deviation * target
  NumberStyle style = {};                ///< how its numbers are written
  std::vector<std::string> untrained = {}; ///< classes that the table has, but no row trained on
};

/// What a table's training rows teach of how to read it and others like it.
struct CsvFit {
  std::string data;    ///< of the table: differs where its text does
  bool header = false; ///< else its columns are called by their places: "column 3"
  Index columns = 0;   ///< of the table, used or not
  std::vector<ColumnFit> features;
  TargetFit target;
  char separator = ','; ///< of the table
};

/// {"problem": "csv", "data": "0f3a9c01", "separator": ",", "header": true, "columns": 3,
///  "features": [{"column": "bill", "mean": 43.9, "deviation": 5.4},
///               {"column": "island", "levels": ["Biscoe", "Dream"]}],
///  "target": {"column": "species", "classes": ["Adelie", "Gentoo"]}}
///
/// Numbers that are not written plainly have "written": {"decimal": ",", "before": "$", "after":
/// "m2"}, parts of dates "date": "year" and "order": "day_month".
///
/// Numbers without a deviation are not standardised; the target of a regression has a mean and a
/// deviation in the place of classes. Read again, all numbers are the same to the bit.
std::string to_json(const CsvFit& fit);

/// @throws DataError for what `to_json` has not written.
CsvFit csv_fit_from(const std::string& text);

/// What a table that is read by it gives: `features` and `label` or `target`, as Csv has them.
DataSpec data_spec(const CsvFit& fit);

/// What each feature is: "bill_length_mm", "island = Dream".
std::vector<std::string> feature_names(const CsvFit& fit);

/// "a, b, c", and how many there are beyond the first few; "" is called missing.
std::string some_of(const std::vector<std::string>& words);

/// For people, a line for the features that are numbers, for each column of levels, for the target.
std::vector<std::string> reading_text(const CsvFit& fit);

} // namespace troupe
