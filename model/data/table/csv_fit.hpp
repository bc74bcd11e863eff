#pragma once

#include "model/data/problem.hpp"
#include "model/data/table/csv_dates.hpp"
#include "model/data/table/csv_numbers.hpp"

#include <string>
#include <vector>

namespace troupe {

/// The fit of a column to the training rows: numbers or levels.
struct ColumnFit {
  std::string name;
  bool numeric = true;
  double mean = 0;                      ///< of numbers; replaces a missing one
  double deviation = 0;                 ///< of numbers; 0 if all are equal
  bool standardized = false;            ///< numbers: x becomes (x - mean) / deviation
  std::vector<std::string> levels = {}; ///< otherwise, sorted; "" is a missing level
  NumberStyle style = {};               ///< how the numbers are written
  std::string date = {};                ///< the part of a date that is the number: date_part
  DateOrder order = DateOrder::day_month;
};

/// The fit of the column to predict.
struct TargetFit {
  std::string name;
  std::vector<std::string> classes = {}; ///< in the order of their numbers; empty for a regression
  double mean = 0, deviation = 1; ///< for a regression: its own unit is mean + deviation * target
  NumberStyle style = {};         ///< how its numbers are written
  std::vector<std::string> untrained = {}; ///< classes in the table, but in no training row
};

/// The fit of a table to its training rows; other tables like it can be read with it.
struct CsvFit {
  std::string data;    ///< checksum of the table's text
  bool header = false; ///< false: its columns are named by position: "column 3"
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
/// Numbers that are not plain have "written": {"decimal": ",", "before": "$", "after": "m2"}, parts
/// of dates "date": "year" and "order": "day_month".
///
/// Numbers without a deviation are not standardised; the target of a regression has a mean and a
/// deviation instead of classes. All numbers are read back bit for bit.
std::string to_json(const CsvFit& fit);

/// @throws DataError for text that `to_json` has not written
CsvFit csv_fit_from(const std::string& text);

/// The fields of a table that is read with the fit: `features` and `label` or `target`, as in Csv.
DataSpec data_spec(const CsvFit& fit);

/// Names of the features: "bill_length_mm", "island = Dream".
std::vector<std::string> feature_names(const CsvFit& fit);

/// "a, b, c", and the number of further words; "" is called missing.
std::string some_of(const std::vector<std::string>& words);

/// To print: a line for the numeric features, for each column of levels, and for the target.
std::vector<std::string> reading_text(const CsvFit& fit);

} // namespace troupe
