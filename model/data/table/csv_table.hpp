#pragma once

#include "base/types.hpp"
#include "model/data/table/csv_cells.hpp"
#include "model/data/table/csv_numbers.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// How to read a table.
struct CsvReading {
  std::string separator = "auto"; ///< csv_separator.hpp
  char likely_separator = '\0';   ///< of the fitted table
  std::string header = "auto";    ///< auto, yes, no: csv_header.hpp
  std::string decimal = "auto";   ///< point, comma, or auto: what the columns of the table agree on
  std::vector<std::string> missing_words = {"+"}; ///< csv_missing.hpp
  std::uint64_t block_bytes = 1 << 19;            ///< read at once; a block's cells fit the cache
  std::uint64_t memory = 0; ///< bytes, beyond which cells are in a spill file; 0: no limit
};

/// A rectangular table of cells, with the names of its columns.
class CsvTable {
public:
  /// @throws IoError, DataError for the file, also if auto cannot decide;
  ///         std::invalid_argument for an invalid reading
  explicit CsvTable(const std::string& path, const CsvReading& reading = {});

  const std::string& file() const { return cells_.file(); }
  const std::string& data() const { return cells_.data(); } ///< checksum of the file
  char separator() const { return separator_; }
  bool has_header() const { return has_header_; }
  Index rows() const { return cells_.rows(); } ///< without the header
  Index columns() const { return cells_.columns(); }
  const std::string& name(Index column) const { return names_[std::size_t(column)]; }
  const ColumnForms& forms(Index column) const { return cells_.forms(column); }

  /// Where the cells are; null: in memory.
  const std::shared_ptr<SpillFile>& spill() const { return cells_.spill(); }
  /// The cells of a column: its numbers in the column's style, and its words.
  CellCursor cells(Index column) const { return {cells_, column}; }
  bool means_missing(std::string_view text) const { return cells_.is_missing(text); }
  /// The text of a cell, until the next call; slow in a column of numbers.
  std::string_view cell(Index row, Index column) const { return cells_.text(row, column); }
  /// The different words of a column. In a column of numbers they mean missing.
  const CsvWords& words(Index column) const { return cells_.words(column); }
  /// Reads the cells of columns as words, even if all are numbers.
  void read_words(std::vector<Index> columns) { cells_.read_words(std::move(columns)); }
  void release_before(Index row) { cells_.release_before(row); } ///< frees memory

  const NumberStyle& style(Index column) const { return cells_.style(column); }
  void set_style(Index column, NumberStyle style);
  /// @throws DataError if the column's numbers have another value with a decimal comma than with
  ///         a point, and nothing in the table decides
  void check_style(Index column) const;

  /// How the file was read, if that may be unexpected, one line each.
  const std::vector<std::string>& notes() const { return notes_; }

  /// The name of the n-th column, from 1, if the file has no names: "column 3".
  static std::string nth(Index number) { return "column " + std::to_string(number); }

  /// "penguins.csv, line 7, column 3 (bill_length_mm)"
  std::string place(Index row, Index column) const;

  /// Finds a column by its name or number: 1 is the first, -1 the last.
  /// @param option for messages: "label"
  /// @throws std::invalid_argument if there is none
  Index column(const std::string& name_or_number, const std::string& option) const;

  /// Finds a column by the name that it had in the fitted table.
  /// @throws DataError if there is none
  Index trained_column(const std::string& name) const;

private:
  void read_cells(const CsvReading& reading);
  void leave_out_empty_columns();
  void take_header();
  void find_styles(const std::string& decimal);
  std::string some_names() const;

  CsvCells cells_;
  char separator_ = ',';
  bool names_rows_ = false;        // the header has no name for the first column
  std::vector<std::string> names_; // "column 3" if the file has none
  bool has_header_ = false;
  std::vector<bool> unsure_; // whether the decimal mark is unclear
  std::vector<std::string> notes_;
};

} // namespace troupe
