#pragma once

#include "base/types.hpp"
#include "model/data/table/csv_column_forms.hpp"
#include "model/data/table/csv_missing.hpp"
#include "model/data/table/csv_numbers.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// How a table is to be read.
struct CsvReading {
  std::string separator = "auto"; ///< csv_separator.hpp
  char likely_separator = '\0';   ///< of the table that was learned from
  std::string header = "auto";    ///< auto, yes, no: csv_header.hpp
  std::string decimal = "auto";   ///< point, comma, or what the columns of the table agree on
  std::vector<std::string> missing_words = {"+"}; ///< csv_missing.hpp
};

/// A rectangular table of cells, with the names of its columns.
class CsvTable {
public:
  /// @throws FileError, DataError for the file, also where auto cannot tell;
  ///         std::invalid_argument for a reading that cannot be.
  explicit CsvTable(const std::string& path, const CsvReading& reading = {});
  CsvTable(const CsvTable&) = delete; // cells look into text_
  CsvTable& operator=(const CsvTable&) = delete;

  const std::string& file() const { return file_; }
  const std::string& data() const { return data_; } ///< differs where the file's text does
  char separator() const { return separator_; }
  bool has_header() const { return has_header_; }
  Index rows() const { return static_cast<Index>(lines_.size()); } ///< without the header
  Index columns() const { return columns_; }
  const std::string& name(Index column) const { return names_[std::size_t(column)]; }
  std::string_view cell(Index row, Index column) const {
    return cells_[static_cast<std::size_t>(row * columns_ + column)];
  }
  bool is_missing(Index row, Index column) const { return missing_.contains(cell(row, column)); }
  const ColumnForms& forms(Index column) const { return forms_[std::size_t(column)]; }

  /// The number that a cell is as the numbers of its column are written.
  std::optional<double> number(Index row, Index column) const {
    return styled_number(cell(row, column), style(column));
  }
  const NumberStyle& style(Index column) const { return styles_[std::size_t(column)]; }
  void set_style(Index column, NumberStyle style);
  /// @throws DataError where the column's numbers are other ones with a decimal comma than with a
  ///         point, and nothing in the table says which it is.
  void check_style(Index column) const;

  /// What was made of the file that people may not expect, a line each.
  const std::vector<std::string>& notes() const { return notes_; }

  /// What the n-th column, from 1, is called where the file has no names: "column 3"
  static std::string nth(Index number) { return "column " + std::to_string(number); }

  /// "penguins.csv, line 7, column 3 (bill_length_mm)"
  std::string place(Index row, Index column) const;

  /// Finds a column by its name, or number: 1 is the first, -1 the last.
  /// @param option for the sentence: "label"
  /// @throws std::invalid_argument where there is none.
  Index column(const std::string& name_or_number, const std::string& option) const;

  /// Finds a column by the name that it had when a model was trained on it.
  /// @throws DataError where there is none.
  Index trained_column(const std::string& name) const;

private:
  void read_cells(const CsvReading& reading);
  void leave_out_empty_columns();
  void find_forms(Index first_row);
  void take_header();
  void find_styles(const std::string& decimal);
  std::string some_names() const;

  std::string file_;
  std::string text_;
  std::string data_; // its checksum
  MissingWords missing_;
  char separator_ = ',';
  bool names_rows_ = false; // the header lacks the name of the first column
  Index columns_ = 0;
  std::vector<std::string> names_;      // "column 3" where the file has none
  std::vector<std::string_view> cells_; // [rows, columns]
  std::vector<Index> lines_;            // on which each row begins, from 1
  bool has_header_ = false;
  std::vector<ColumnForms> forms_;
  std::vector<NumberStyle> styles_;
  std::vector<bool> unsure_; // of the decimal mark
  std::vector<std::string> notes_;
};

} // namespace troupe
