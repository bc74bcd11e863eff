#include "model/data/table/csv_block.hpp"

#include "base/failure.hpp"
#include "model/data/table/csv_numbers.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace troupe {

namespace {

constexpr double most_packed_digits = -double{CellRun::least_digits};

/// Notes what the point of a number can mean.
void add_point(CellRun& run, std::string_view number) {
  const auto point = point_of(number);
  run.definite_point = point == Point::decimal;
  run.grouped = run.grouped || point == Point::either;
}

} // namespace

void CellRun::renumber(std::size_t rows, std::span<const Word> numbers) {
  if (words == 0)
    return;
  for (std::size_t i = 0; i < rows; ++i) {
    const auto old = word(i);
    if (old == no_word)
      continue;
    const auto number = numbers[static_cast<std::size_t>(old)];
    if (form == Form::doubles)
      at<double>(i) = double_of(number);
    else
      at<std::int32_t>(i) = form == Form::words ? number : digits_of(number);
  }
}

bool BlockPacker::pack(CsvBlock& block, const std::string& text, char separator, std::size_t width,
                       std::span<const Index> columns) {
  for (bool complete = false; !complete;) {
    begin(text, width, columns);
    auto reader = CsvReader::of_rows(text, {}, separator);
    try {
      if (!read_rows(reader, separator, width))
        return false;
    } catch (const DataError&) { // which knows the place in this block only
      return false;
    }
    block.lines = reader.line() - 1;
    complete = std::all_of(columns_.begin(), columns_.end(),
                           [](const Column& column) { return column.complete; });
  }
  block.rows = static_cast<Index>(rows_);
  block.runs.resize(width);
  std::size_t bytes = 0;
  for (auto& column : columns_) {
    choose_form(column);
    bytes += bytes_of(column.run.form);
  }
  if (bytes == 0)
    return true;
  auto* to = block.pages.emplace_back(own_pages(bytes, spill_)).get();
  for (auto& column : columns_) {
    column.run.cells = to;
    write_cells(column);
    to += bytes_of(column.run.form);
    block.runs[static_cast<std::size_t>(column.index)] = column.run;
    if (column.words.size() > 0)
      block.words.emplace_back(column.index, std::move(column.words));
  }
  if (spill_)
    spill_->count_use(bytes);
  return true;
}

void BlockPacker::begin(const std::string& text, std::size_t width,
                        std::span<const Index> columns) {
  const auto lines
    = 1 + std::count(text.begin(), text.end(), '\n') + std::count(text.begin(), text.end(), '\r');
  const auto most_rows = std::min(static_cast<std::size_t>(lines), text.size() / width + 1);
  rows_ = 0;
  values_.resize(most_rows * columns.size());
  decimals_.resize(most_rows * columns.size());
  columns_.clear();
  for (const auto index : columns) {
    const auto first_cell = columns_.size() * most_rows;
    columns_.push_back(
      {.index = index, .values = &values_[first_cell], .decimals = &decimals_[first_cell]});
    if (has_words_[static_cast<std::size_t>(index)])
      columns_.back().run.form = CellRun::Form::words;
  }
}

bool BlockPacker::read_rows(CsvReader& reader, char separator, std::size_t width) {
  std::vector<Column*> column_of(width);
  for (auto& column : columns_)
    column_of[static_cast<std::size_t>(column.index)] = &column;
  const bool may_be_in_number
    = std::string_view("0123456789.-").find(separator) != std::string::npos;
  const bool at_once = !may_be_in_number && !numbers_may_be_missing_;
  PlainDecimal number;
  std::string_view text;
  for (; reader.begin_row(); ++rows_) {
    std::size_t cell = 0;
    do {
      if (cell == width)
        return false;
      auto* const column = column_of[cell++];
      if (column == nullptr)
        reader.cell();
      else if (at_once && column->run.form != CellRun::Form::words && reader.decimal(number, text))
        add_decimal(*column, number, text);
      else
        add_text(*column, reader.cell());
    } while (reader.end_cell());
    if (cell < width)
      return false;
  }
  return true;
}

inline void BlockPacker::add_decimal(Column& column, const PlainDecimal& number,
                                     std::string_view text) const {
  if (!number.exact) {
    add_other(column, text);
    return;
  }
  column.values[rows_] = number.digits;
  column.decimals[rows_] = number.decimals;
  if (number.point && !column.run.definite_point)
    add_point(column.run, text);
}

void BlockPacker::add_text(Column& column, std::string_view text) const {
  PlainDecimal decimal;
  if (column.run.form == CellRun::Form::words) {
    column.values[rows_] = column.words.add(text);
    ++column.run.words;
  } else if (!(numbers_may_be_missing_ && missing_.contains(text))
             && read_plain_decimal(text.data(), decimal) == text.data() + text.size()) {
    add_decimal(column, decimal, text);
  } else {
    add_other(column, text);
  }
}

/// A cell of a column of numbers that is no plain decimal.
void BlockPacker::add_other(Column& column, std::string_view text) const {
  const bool no_number = numbers_may_be_missing_ && missing_.contains(text);
  if (const auto number = no_number ? std::nullopt : parse_number(text)) {
    column.values[rows_] = std::bit_cast<std::int64_t>(*number);
    column.decimals[rows_] = is_double;
    column.run.form = CellRun::Form::doubles;
    if (!column.run.definite_point)
      add_point(column.run, text);
  } else if (missing_.contains(text) && column.words.size() < CellRun::most_words) {
    column.values[rows_] = column.words.add(text);
    column.decimals[rows_] = is_word;
    ++column.run.words;
  } else {
    has_words_[static_cast<std::size_t>(column.index)] = true;
    column.complete = false;
  }
}

/// Finds how few bytes hold the numbers.
void BlockPacker::choose_form(Column& column) const {
  auto& run = column.run;
  if (run.form != CellRun::Form::scaled)
    return;
  std::uint8_t most = 0;
  for (std::size_t i = 0; i < rows_; ++i)
    most = std::max(most, column.decimals[i] == is_word ? std::uint8_t{0} : column.decimals[i]);
  double digits = 0, scaled = 0; // the largest
  for (std::size_t i = 0; i < rows_; ++i) {
    if (column.decimals[i] == is_word)
      continue;
    const auto own = std::abs(static_cast<double>(column.values[i]));
    digits = std::max(digits, own);
    scaled = std::max(scaled, own * powers_of_ten[most - column.decimals[i]]);
  }
  run.form = scaled <= most_packed_digits   ? CellRun::Form::scaled
             : digits <= most_packed_digits ? CellRun::Form::decimals
                                            : CellRun::Form::doubles;
  run.power = powers_of_ten[most];
}

/// The bytes of a column's cells, so that what follows them is aligned.
std::size_t BlockPacker::bytes_of(CellRun::Form form) const {
  const auto bytes = form == CellRun::Form::doubles    ? sizeof(double)
                     : form == CellRun::Form::decimals ? sizeof(std::int32_t) + 1
                                                       : sizeof(std::int32_t);
  return (rows_ * bytes + sizeof(double) - 1) / sizeof(double) * sizeof(double);
}

void BlockPacker::write_cells(Column& column) const {
  auto& run = column.run;
  auto* const packed = reinterpret_cast<std::int32_t*>(run.cells);
  const auto* const values = column.values;
  const auto* const decimals = column.decimals;
  const auto word_of = [&](std::size_t i) { return static_cast<CellRun::Word>(values[i]); };
  const auto digits_of = [&](std::size_t i, std::int64_t factor) {
    return decimals[i] == is_word ? CellRun::digits_of(word_of(i))
                                  : static_cast<std::int32_t>(factor * values[i]);
  };
  switch (run.form) {
  case CellRun::Form::words:
    for (std::size_t i = 0; i < rows_; ++i)
      packed[i] = word_of(i);
    break;
  case CellRun::Form::scaled: {
    std::array<std::int64_t, 256> factors{}; // to the decimals that all have
    for (std::size_t own = 0; own < powers_of_ten.size() && powers_of_ten[own] <= run.power; ++own)
      factors[own] = static_cast<std::int64_t>(run.power / powers_of_ten[own]);
    for (std::size_t i = 0; i < rows_; ++i)
      packed[i] = digits_of(i, factors[decimals[i]]);
    break;
  }
  case CellRun::Form::decimals:
    for (std::size_t i = 0; i < rows_; ++i)
      packed[i] = digits_of(i, 1);
    run.decimals
      = std::copy_n(decimals, rows_, reinterpret_cast<std::uint8_t*>(packed + rows_)) - rows_;
    break;
  case CellRun::Form::doubles:
    for (std::size_t i = 0; i < rows_; ++i)
      reinterpret_cast<double*>(packed)[i]
        = decimals[i] == is_double ? std::bit_cast<double>(values[i])
          : decimals[i] == is_word ? CellRun::double_of(word_of(i))
                                   : static_cast<double>(values[i]) / powers_of_ten[decimals[i]];
    break;
  }
}

} // namespace troupe
