#pragma once

#include "base/files/own_pages.hpp"
#include "base/types.hpp"
#include "model/data/table/csv_missing.hpp"
#include "model/data/table/csv_reader.hpp"
#include "model/data/table/csv_source.hpp"
#include "model/data/table/csv_words.hpp"

#include <array>
#include <atomic>
#include <bit>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe {

/// Powers of ten that a double holds exactly.
inline constexpr std::array<double, 23> powers_of_ten{
  1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
  1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/// The cells of one column in consecutive rows: numbers that are plain, between them words that mean
/// missing; or words. A number has 4 bytes if it has few digits, and is the same as parse_number's,
/// bit for bit: a quotient of integers that are exact is rounded once.
class CellRun {
public:
  using Word = CsvWords::Number;
  static constexpr Word no_word = -1;
  static constexpr Word most_words = 1 << 20; ///< between numbers

  /// The number in a cell, NaN for a word.
  double number(std::size_t cell) const {
    if (form == Form::doubles)
      return at<double>(cell);
    const auto digits = at<std::int32_t>(cell);
    if (form == Form::words || digits < least_digits)
      return std::numeric_limits<double>::quiet_NaN();
    return digits / (form == Form::scaled ? power : powers_of_ten[decimals[cell]]);
  }

  /// The number of a word among the words of the column, or no_word.
  Word word(std::size_t cell) const {
    if (form == Form::doubles)
      return word_in(at<double>(cell));
    const auto digits = at<std::int32_t>(cell);
    return form == Form::words ? digits : digits < least_digits ? digits - first_word : no_word;
  }

  enum class Form : std::uint8_t {
    scaled,   ///< int32 / power
    decimals, ///< int32 / a power of ten for each cell
    doubles,
    words
  };
  Form form = Form::scaled;
  bool definite_point = false; ///< some number such as 1.5, where the point is decimal
  bool grouped = false;        ///< some number such as 1.500, where it may group thousands
  Index words = 0;             ///< cells with a word
  double power = 1;            ///< of ten
  std::byte* cells = nullptr;
  const std::uint8_t* decimals = nullptr;

  /// What stands for a word between numbers.
  static std::int32_t digits_of(Word word) { return first_word + word; }
  static double double_of(Word word) {
    return std::bit_cast<double>(not_a_number | static_cast<std::uint64_t>(word));
  }

  /// Gives each word another number.
  void renumber(std::size_t rows, std::span<const Word> numbers);

  static constexpr std::int32_t first_word = std::numeric_limits<std::int32_t>::min();
  static constexpr std::int32_t least_digits = first_word + most_words;

private:
  static constexpr std::uint64_t not_a_number = 0x7FF8'0000'0000'0000;

  static Word word_in(double number) {
    const auto bits = std::bit_cast<std::uint64_t>(number);
    return number == number ? no_word : static_cast<Word>(bits & 0x7FFF'FFFFU);
  }

  template <class T>
  T& at(std::size_t cell) const {
    return reinterpret_cast<T*>(cells)[cell];
  }
};

/// The cells of consecutive rows.
struct CsvBlock {
  Index first_row = 0, rows = 0;
  std::uint64_t offset = 0, bytes = 0; ///< of its text
  Index line = 1;                      ///< in which it begins
  Index lines = 0;                     ///< that it has
  PieceSum sum = {};
  std::vector<CellRun> runs = {};                     ///< of each column
  std::vector<std::pair<Index, CsvWords>> words = {}; ///< of columns, numbered for this block
  std::vector<OwnPages> pages = {};                   ///< that hold the cells
};

/// Packs the cells of blocks, and keeps its own memory from one to the next.
class BlockPacker {
public:
  /// @param has_words of each column of the table
  /// @param spill takes the cells; null: they are in memory
  BlockPacker(const MissingWords& missing, std::vector<std::atomic<bool>>& has_words,
              std::shared_ptr<SpillFile> spill)
    : missing_(missing),
      numbers_may_be_missing_(missing.contain_numbers()),
      has_words_(has_words),
      spill_(std::move(spill)) {}

  /// Packs these columns of a text's rows; other columns of the block stay. A column with a cell
  /// that is neither a number nor missing is marked in has_words; marked ones are packed as words.
  /// @param text that is_csv_text
  /// @param width cells in each row
  /// @returns false if the text is no rows of this width
  bool pack(CsvBlock& block, const std::string& text, char separator, std::size_t width,
            std::span<const Index> columns);

private:
  enum : std::uint8_t { is_double = 254, is_word = 255 }; // instead of decimals

  /// A column that is being packed.
  struct Column {
    Index index = 0;
    CellRun run = {}; // its form is scaled, doubles or words until another one is chosen
    CsvWords words = {};
    bool complete = true;           // false if has_words became known below its first cells
    std::int64_t* values = nullptr; // digits, the bits of a double, or the number of a word
    std::uint8_t* decimals = nullptr;
  };

  void begin(const std::string& text, std::size_t width, std::span<const Index> columns);
  bool read_rows(CsvReader& reader, char separator, std::size_t width);
  void add_decimal(Column& column, const PlainDecimal& number, std::string_view text) const;
  void add_text(Column& column, std::string_view text) const;
  void add_other(Column& column, std::string_view text) const;
  void choose_form(Column& column) const;
  std::size_t bytes_of(CellRun::Form form) const;
  void write_cells(Column& column) const;

  const MissingWords& missing_;
  const bool numbers_may_be_missing_; // as -999 may be
  std::vector<std::atomic<bool>>& has_words_;
  std::shared_ptr<SpillFile> spill_;
  std::vector<Column> columns_;
  std::vector<std::int64_t> values_; // of all columns, one after the other
  std::vector<std::uint8_t> decimals_;
  std::size_t rows_ = 0;
};

} // namespace troupe
