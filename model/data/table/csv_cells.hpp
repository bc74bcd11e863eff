#pragma once

#include "base/types.hpp"
#include "model/data/table/csv_block.hpp"
#include "model/data/table/csv_column_forms.hpp"
#include "model/data/table/csv_missing.hpp"
#include "model/data/table/csv_source.hpp"
#include "model/data/table/csv_words.hpp"

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// The cells of a file, in rows of the same length: the first row as texts, since it may be a
/// header, and the rows below it, numbered from 0, in packed columns.
///
/// The text is read once, in blocks, on all cores. Columns of numbers do not keep it: it is read
/// again for a column that turns out to have words, and where the text of such a cell is asked for.
class CsvCells {
public:
  /// @throws IoError, DataError for a file that cannot be a table
  CsvCells(const std::string& path, MissingWords missing);

  /// @param names_rows the first row has no name for the first column
  /// @param block_bytes read at once, more if rows are long
  /// @param memory as CsvReading says
  /// @throws IoError, DataError for the file
  void read(char separator, bool names_rows, std::uint64_t block_bytes, std::uint64_t memory);

  const CsvSource& source() const { return source_; }
  const std::string& file() const { return source_.path(); }
  const std::string& data() const { return data_; } ///< checksum of the file

  const std::vector<std::string>& first() const { return first_; } ///< row, until it is added
  Index columns() const { return static_cast<Index>(first_.size()); }
  Index rows() const { return rows_; } ///< below the first, or with it once it is added
  /// Where the cells are; null: in memory.
  const std::shared_ptr<SpillFile>& spill() const { return spill_; }
  bool is_missing(std::string_view text) const { return missing_.contains(text); }

  /// What a column contains: numbers, dates or words.
  const ColumnForms& forms(Index column) const { return column_at(column).forms; }
  /// The different words of a column. In a column of numbers they mean missing.
  const CsvWords& words(Index column) const { return column_at(column).words; }
  const NumberStyle& style(Index column) const { return column_at(column).style; }
  void set_style(Index column, NumberStyle style);

  void add_first_row(); ///< before the others: it has values
  /// Leaves out the last columns if they have no value. @returns their number
  Index leave_out_empty_columns();
  /// Reads the cells of columns as words, even if all are numbers.
  void read_words(std::vector<Index> columns);

  /// The text of any cell, until the next call. Reads its block again if the column has numbers.
  std::string_view text(Index row, Index column) const;
  std::string place(Index row, Index column) const; ///< "penguins.csv, line 7, column 3"
  std::string place_in_first(Index column) const;

  void release_before(Index row); ///< frees the memory of blocks that end before this row

private:
  friend class CellCursor;

  struct Column {
    bool has_words = false; ///< that do not mean missing
    CsvWords words = {};
    std::vector<bool> missing = {};   ///< by word
    std::vector<double> numbers = {}; ///< by word, in the column's style; NaN if it is none
    NumberStyle style = {};
    ColumnForms forms = {};
  };

  /// A block with its text, and a row of it.
  struct OpenBlock {
    struct Place {
      std::size_t byte = 0; ///< in the text
      Index line = 1;       ///< in the file
    };
    Index first_row = -1;
    std::string text = {};
    std::vector<Place> places = {}; ///< of each row
    Index row = -1;
    CsvRecord record = {};
  };

  const Column& column_at(Index column) const { return columns_[static_cast<std::size_t>(column)]; }
  Column& column_at(Index column) { return columns_[static_cast<std::size_t>(column)]; }
  std::size_t block_with(Index row) const;
  void count_use(const CsvBlock& block) const;
  void read_first_row(std::uint64_t block_bytes);
  void read_blocks(std::uint64_t block_bytes);
  void repack(CsvBlock& block, BlockPacker& packer, std::string& text,
              std::span<const Index> columns) const;
  void reopen(const CsvBlock& block, OpenBlock& open) const;
  const CsvRecord& record(Index row) const;
  void number_words();
  static void number_by_style(Column& column);
  void find_forms();
  ColumnForms forms_of_numbers(Index column) const;
  ColumnForms forms_of_words(Index column) const;
  [[noreturn]] void refuse() const;

  CsvSource source_;
  MissingWords missing_;
  char separator_ = ',';
  bool names_rows_ = false;
  std::vector<std::string> first_;
  Index first_line_ = 1, next_line_ = 1;          ///< of the first row, and after it
  std::uint64_t first_begin_ = 0, first_end_ = 0; ///< its bytes
  std::size_t cells_in_row_ = 0;                  ///< of the file
  Index rows_ = 0;
  std::shared_ptr<SpillFile> spill_;
  std::vector<CsvBlock> blocks_;
  std::vector<Column> columns_;
  std::string data_;
  mutable OpenBlock open_;
};

/// Reads the cells of a column, fastest in the order of rows.
class CellCursor {
public:
  CellCursor(const CsvCells& cells, Index column)
    : cells_(&cells),
      column_(&cells.column_at(column)),
      index_(static_cast<std::size_t>(column)) {}

  /// The number in the style of its column.
  std::optional<double> number(Index row) {
    const auto& run = run_with(row);
    const auto cell = static_cast<std::size_t>(row - first_);
    const auto word = run.words == 0 ? CellRun::no_word : run.word(cell);
    const auto number = word == CellRun::no_word ? run.number(cell)
                                                 : column_->numbers[static_cast<std::size_t>(word)];
    return number == number ? std::optional{number} : std::nullopt;
  }

  /// The same, NaN if there is none or the cell is missing.
  double known_number(Index row) {
    const auto& run = run_with(row);
    if (run.words == 0)
      return run.number(static_cast<std::size_t>(row - first_));
    return is_missing(row) ? std::numeric_limits<double>::quiet_NaN()
                           : number(row).value_or(std::numeric_limits<double>::quiet_NaN());
  }

  /// The number of the word, or CellRun::no_word in a column of numbers.
  CellRun::Word word(Index row) {
    return run_with(row).word(static_cast<std::size_t>(row - first_));
  }

  bool is_missing(Index row) {
    return run_with(row).words > 0 && word(row) != CellRun::no_word
           && column_->missing[static_cast<std::size_t>(word(row))];
  }

private:
  const CellRun& run_with(Index row) {
    if (row < first_ || row >= end_)
      seek(row);
    return *run_;
  }
  void seek(Index row);

  const CsvCells* cells_;
  const CsvCells::Column* column_;
  std::size_t index_;
  const CellRun* run_ = nullptr;
  Index first_ = 0, end_ = 0;
};

} // namespace troupe
