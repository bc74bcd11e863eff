#pragma once

#include "model/data/feature_rows.hpp"
#include "model/data/fitted_problem.hpp"
#include "model/data/problem.hpp"
#include "model/data/split.hpp"
#include "model/data/table/csv_fit.hpp"

namespace troupe {

class CsvTable;
class TableRows;

/// The options of the problem `csv`.
struct CsvOptions {
  std::string path = {};          ///< plain or gzip, UTF-8
  std::string separator = "auto"; ///< one character, tab or blanks: csv_separator.hpp
  std::string decimal = "auto";   ///< auto, point, comma
  std::string header = "auto";    ///< auto, yes, no
  std::string label = "-1";       ///< the column to predict: name, or number from 1; -1 is the last
  std::string task = "auto";      ///< auto, classification, regression: csv_target.hpp
  std::vector<std::string> ignore = {};           ///< columns to skip: names or numbers
  std::vector<std::string> categorical = {};      ///< columns of levels that look like numbers
  std::string missing = "error";                  ///< how to treat missing cells: error, drop, mean
  std::vector<std::string> missing_words = {"+"}; ///< csv_missing.hpp
  std::string dates = "words";                    ///< how to read dates: words, number, parts
  std::string day_first = "auto";                 ///< yes, no: for dates such as 01/02/2021
  bool standardize = true;                        ///< numbers, and the target of a regression
  std::string split = "random";       ///< random, ordered (split.hpp), column (csv_split.hpp)
  std::string split_column = "split"; ///< for `split: column`: a name, or a number from 1
  double validation_fraction = 0.1;   ///< of the rows, 0 .. 1
  double test_fraction = 0.1;         ///< of the rows, 0 .. 1
  std::int64_t split_seed = 0;        ///< determines which row belongs to which section
  std::string memory = ""; ///< a size such as 512MB, beyond which numbers are in a temporary file
  TROUPE_FIELDS(path, separator, decimal, header, label, task, ignore, categorical, missing,
                missing_words, dates, day_first, standardize, split, split_column,
                validation_fraction, test_fraction, split_seed, memory);
};

/// Rows of a CSV file: predicts one column from the others.
///
///   features  float32      [any, n]  numbers, and one per level of other columns: csv_features.hpp
///   label     class_index  [any]     if it is a classification
///   target    float32      [any, 1]  if it is a regression
///
/// Missing cells (csv_missing.hpp) in a column that is used: `error` refuses the first; `drop`
/// skips each row with one; `mean` skips rows without label, replaces a missing number by the
/// training mean, and makes missing levels a level of their own. In the label only an empty cell is
/// missing, except in a column of numbers.
///
/// Everything that is fitted, such as which columns are numbers, levels, means, deviations and
/// classes, is fitted to the training rows. A class that occurs only in other rows is masked in
/// them. With the fit of an earlier table nothing is fitted: columns are found by their names (by
/// position if that table had no header), whatever `label`, `ignore`, `categorical`, `task` and
/// `standardize` say, and `header: auto` is read as there.
class Csv : public Problem, public FittedProblem {
public:
  /// @param fit of the table of an earlier run, from `fit`; "": fit to this table
  /// @param choose selects the training rows, where these are not the whole training section
  /// @throws std::invalid_argument for invalid options; IoError, DataError for the file, also
  ///         if it lacks a column of the fit, or has a class that the fit lacks
  explicit Csv(CsvOptions options, const std::string& fit = "",
               const ChooseTrainingRows& choose = {});

  std::string name() const override { return "csv"; }
  const DataSpec& spec() const override { return spec_; }
  Index size(Section section) const override;
  /// @throws std::out_of_range for a row that the section does not have
  void gather(Section section, std::span<const Index> rows, Batch& batch) const override;
  std::vector<std::string> class_names() const override { return fit_.target.classes; }
  /// What was fitted, as JSON, for read_csv_rows() and the constructor.
  std::string fit() const override { return to_json(fit_); }
  std::vector<std::string> reading_notes() const override;

  /// One for each number of a row of `features`.
  std::vector<std::string> feature_names() const { return troupe::feature_names(fit_); }

  /// The target of a regression in its own unit is target_mean + target_deviation * target; 0 and 1
  /// if it is not standardised.
  double target_mean() const { return fit_.target.mean; }
  /// See target_mean().
  double target_deviation() const { return fit_.target.deviation; }

private:
  struct Columns { // of the table
    Index label = 0;
    std::vector<Index> features = {};
  };
  Columns wanted_columns(const CsvTable& table, const CsvOptions& options) const;
  Columns fitted_columns(const CsvTable& table) const;
  void take_target(CsvTable& table, Index label, const TableRows& rows,
                   std::span<const Index> trained, const CsvOptions& options, bool fitted);
  void standardize_target(const CsvTable& table, Index label, const TableRows& rows);

  DataSpec spec_;
  Split split_; // rows of what follows
  FeatureRows features_;
  std::vector<std::int32_t> classes_;
  std::vector<float> targets_;
  CsvFit fit_;
  std::vector<std::string> notes_;
};

/// Reads the rows of a table, without a target, as an earlier run's table was read. The label may be
/// missing; in a table without header it may be omitted if it is the last column.
/// @returns the features in the order of the file
/// @throws IoError, DataError for the file, also for a missing cell unless `missing` is mean;
///         std::invalid_argument for options
FeatureRows read_csv_rows(const CsvOptions& options, const std::string& fit);

} // namespace troupe
