#pragma once

#include "troupe/model/types.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// True for what people write where a value is unknown: nothing, NA, N/A, NaN, ?, null; capitals
/// do not matter.
bool is_missing(std::string_view cell);

/// @returns the number that the whole cell is, if it is one that fits float32.
std::optional<double> parse_number(std::string_view cell);

/// 1,5 and -0,25: a number as other countries write it.
bool has_decimal_comma(std::string_view cell);

/// What a sentence about a cell that is no number ends with: "" unless it has a decimal comma.
std::string comma_hint(std::string_view cell);

/// A rectangular table of cells, with the names of its columns.
class CsvTable {
public:
  /// @param header yes, no, or auto: the first row is a header where it has no number in any of the
  ///        columns in which all other rows have numbers (or nothing)
  /// @throws FileError, DataError for the file, also where auto cannot tell;
  ///         std::invalid_argument for a header that is none of the three.
  CsvTable(const std::string& path, char separator, const std::string& header);
  CsvTable(const CsvTable&) = delete; // cells look into text_
  CsvTable& operator=(const CsvTable&) = delete;

  const std::string& file() const { return file_; }
  const std::string& data() const { return data_; } ///< differs where the file's text does
  bool has_header() const { return has_header_; }
  Index rows() const { return static_cast<Index>(lines_.size()); } ///< without the header
  Index columns() const { return columns_; }
  const std::string& name(Index column) const { return names_[std::size_t(column)]; }
  std::string_view cell(Index row, Index column) const {
    return cells_[static_cast<std::size_t>(row * columns_ + column)];
  }

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
  bool first_row_is_header() const;
  void take_header();
  std::string some_names() const;

  std::string file_;
  std::string text_;
  std::string data_; // its checksum
  Index columns_ = 0;
  std::vector<std::string> names_;      // "column 3" where the file has none
  std::vector<std::string_view> cells_; // [rows, columns]
  std::vector<Index> lines_;            // on which each row begins, from 1
  bool has_header_ = false;
};

} // namespace troupe
