#pragma once

#include "model/data/table/csv_fit.hpp"
#include "model/data/table/csv_table.hpp"

#include <span>
#include <string>
#include <vector>

namespace troupe {

/// How the columns of a table become features.
struct FeatureOptions {
  std::vector<Index> categorical = {}; ///< for dates such as 01/02/2021: yes, no
  bool standardize = true;
  std::string dates = "words";    ///< or number, or parts
  std::string day_first = "auto"; ///< yes, no: of dates such as 01/02/2021
};

/// Fits columns of a table to its training rows only.
///
/// A column whose training cells are all numbers (or missing) is numeric; other columns have
/// levels. A column of dates may become one number or several.
/// @param columns to use, in this order; categorical ones with words (read_words)
/// @param training the rows to fit to
/// @returns a fit for each column, or several for the parts of a date
/// @throws DataError if a column has no value at all, more than 1000 levels, or mostly numbers:
///         the rest are then likely typing errors, which must not become levels. Also for a number
///         that float32 cannot hold, and where day and month cannot be told apart
std::vector<ColumnFit> fit_columns(const CsvTable& table, std::span<const Index> columns,
                                   std::span<const Index> training, const FeatureOptions& options);

/// The column's name as a list that a shell and the configuration accept: [id], '["my id"]'.
std::string list_of_one(const std::string& name);

/// Converts the cells of a row to features, with the fits of the training rows.
///
/// A numeric column becomes one feature: (x - mean) / deviation where standardised, 0 if the
/// column is constant. A column of levels becomes one feature per level, 1 for the row's level and
/// 0 for the others; all are 0 for a level that no training row has. A missing number becomes the
/// training mean; a missing level is a level of its own, called "", where training rows also miss
/// it.
class FeatureEncoder {
public:
  /// @param columns the fitted columns of the table, in the order of the fits; where the fit has
  ///        levels, with words (read_words)
  FeatureEncoder(const CsvTable& table, std::span<const Index> columns,
                 const std::vector<ColumnFit>& fits);

  Index width() const { return width_; } ///< features per row

  /// Writes the features of rows of the table, [rows, width]. Safe from several threads at once.
  /// @param out zeros
  /// @returns false for rows that check() refuses
  bool encode(std::span<const Index> rows, float* out) const;
  /// @throws DataError for the first cell that is not a number where the training rows have numbers
  void check(std::span<const Index> rows) const;

private:
  struct Column {
    Index index = 0; // in the table
    Index first = 0; // feature
    bool numeric = true;
    double mean = 0, scale = 1;     // numeric: x -> (x - mean) scale
    double missing = 0;             // numeric: replaces a missing cell
    bool date = false;              // numeric: a part of a date
    std::vector<double> parts = {}; // of dates, by word; NaN for a word that is no date
    std::vector<Index> levels = {}; // not numeric: of each word, or no_level
  };
  static constexpr Index no_level = -1;

  static std::vector<Index> levels_of_words(const CsvTable& table, Index column,
                                            const std::vector<std::string>& levels);
  static double number(CellCursor& cells, Index row, const Column& column);

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
  /// 0 for constant numbers, also if rounding makes them differ slightly.
  double deviation() const;
};

} // namespace troupe
