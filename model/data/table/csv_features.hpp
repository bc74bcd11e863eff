#pragma once

#include "model/data/table/csv_fit.hpp"
#include "model/data/table/csv_table.hpp"

#include <map>
#include <span>

namespace troupe {

/// What is made of the columns of a table.
struct FeatureOptions {
  std::vector<Index> categorical = {}; ///< levels even where they look like numbers
  bool standardize = true;
  std::string dates = "words";    ///< or number, or parts
  std::string day_first = "auto"; ///< yes, no: of dates such as 01/02/2021
};

/// What the training rows say of columns of a table, and only those.
///
/// A column whose training cells are all numbers (or missing) is one of numbers, of other things
/// one of levels. One of dates may become a number, or several ones.
/// @param columns to use, in this order
/// @param training rows of the table to learn from
/// @returns a fit for each column, or several for each part of a date
/// @throws DataError where a column has no value at all, more than 1000 levels, or mostly numbers:
///         the rest is then likely a slip of the pen, which must not become a level. Also for a
///         number that float32 cannot hold, and where a day may be a month.
std::vector<ColumnFit> fit_columns(const CsvTable& table, std::span<const Index> columns,
                                   std::span<const Index> training, const FeatureOptions& options);

/// The column's name, in a list that a shell and the configuration take: [id], '["my id"]'.
std::string list_of_one(const std::string& name);

/// Turns the cells of a row into numbers, by what training rows have taught.
///
/// A column of numbers becomes one feature; where standardised, (x - mean) / deviation, and 0 where
/// the column is constant. A column of levels becomes one feature per level, 1 for the row's and 0
/// for the others; a level that no training row has is all zeros. A missing number becomes the
/// training mean; a missing level is a level of its own, called "", where training rows miss it
/// too.
class FeatureEncoder {
public:
  /// @param columns of the table that were fitted, in the order of the fits
  FeatureEncoder(const CsvTable& table, std::span<const Index> columns,
                 const std::vector<ColumnFit>& fits);

  Index width() const { return width_; } ///< features per row

  /// Writes the features of a row of the table, [width].
  /// @throws DataError for a cell that is no number where the training rows have numbers.
  void encode(Index row, float* out) const;

private:
  struct Column {
    Index index = 0; // in the table
    Index first = 0; // feature
    bool numeric = true;
    double mean = 0, scale = 1; // numeric: x -> (x - mean) scale
    double missing = 0;         // numeric: what a missing cell becomes
    std::string date = {};      // numeric: a part of one
    DateOrder order = DateOrder::day_month;
    std::map<std::string, Index, std::less<>> levels = {}; // otherwise: level -> its number
  };

  std::optional<double> number(Index row, const Column& column) const;

  const CsvTable& table_;
  Index width_ = 0;
  std::vector<Column> columns_;
};

/// Mean and standard deviation (of the population) of numbers, in one pass.
struct Moments {
  Index count = 0;
  double mean = 0;
  double squares = 0; ///< sum of squared differences from the mean

  void add(double x); ///< Welford, Technometrics 4 (3), 1962
  /// 0 for constant numbers, also where rounding makes them look a little different.
  double deviation() const;
};

} // namespace troupe
