#include "model/data/table/csv_cells.hpp"

#include "base/failure.hpp"
#include "model/data/reading_threads.hpp"
#include "model/data/table/csv_numbers.hpp"
#include "model/data/table/csv_reader.hpp"
#include "model/data/table/csv_separator_text.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>
#include <utility>

namespace troupe {

namespace {

/// Where the last complete row of a text ends that begins with a row.
std::size_t end_of_rows(std::string_view text) {
  if (text.find('"') == text.npos)
    return text.rfind('\n') + 1;
  bool quoted = std::count(text.begin(), text.end(), '"') % 2 != 0;
  for (auto at = text.size(); at > 0; --at)
    if (text[at - 1] == '"')
      quoted = !quoted;
    else if (text[at - 1] == '\n' && !quoted)
      return at;
  return 0;
}

/// Reads the blocks of a text one after the other, for several threads.
class BlockReader {
public:
  BlockReader(const CsvSource& source, std::uint64_t offset, std::uint64_t bytes)
    : source_(source),
      offset_(offset),
      bytes_(bytes) {}

  /// @returns false at the end
  bool next(CsvBlock& block, std::string& text) {
    const std::scoped_lock lock(mutex_);
    if (offset_ == source_.size())
      return false;
    for (auto bytes = bytes_;; bytes *= 2) {
      source_.read(offset_, bytes, text);
      if (offset_ + text.size() == source_.size())
        break;
      text.resize(end_of_rows(text));
      if (!text.empty())
        break;
    }
    block.offset = std::exchange(offset_, offset_ + text.size());
    block.bytes = text.size();
    return true;
  }

private:
  const CsvSource& source_;
  std::mutex mutex_;
  std::uint64_t offset_, bytes_;
};

std::vector<Index> all_columns(Index count) {
  std::vector<Index> columns(static_cast<std::size_t>(count));
  std::iota(columns.begin(), columns.end(), Index{0});
  return columns;
}

DataError cells_differ(const std::string& file, const CsvRecord& record, Index columns,
                       Index first_line, Index row, char separator) {
  const auto found = static_cast<Index>(record.cells.size());
  return DataError(
    file + ", line " + std::to_string(record.line) + ", column "
    + std::to_string(std::min(found, columns) + 1) + ": found " + std::to_string(found)
    + " cells, expected " + std::to_string(columns) + " as in line " + std::to_string(first_line)
    + ", with the separator " + separator_text(separator)
    + (row == 1 ? "; take line " + std::to_string(first_line) + " out if it is a title, " : "; ")
    + "quote cells that contain the separator, or set the right one by problem.separator");
}

} // namespace

CsvCells::CsvCells(const std::string& path, MissingWords missing)
  : source_(path),
    missing_(std::move(missing)) {}

void CsvCells::read(char separator, bool names_rows, std::uint64_t block_bytes,
                    std::uint64_t memory) {
  separator_ = separator;
  names_rows_ = names_rows;
  read_first_row(block_bytes);
  columns_.resize(first_.size());
  spill_ = spill_beyond(memory, source_.size());
  read_blocks(block_bytes);
}

void CsvCells::read_first_row(std::uint64_t block_bytes) {
  std::string text;
  CsvRecord record;
  for (auto bytes = block_bytes;; bytes *= 4) {
    source_.read(0, bytes, text);
    const bool whole = text.size() == source_.size();
    if (!whole)
      text.resize(end_of_rows(text));
    CsvReader reader(text, file(), separator_);
    reader.begin_row();
    first_begin_ = reader.at();
    if (reader.next(record)) {
      first_.assign(record.cells.begin(), record.cells.end());
      first_line_ = record.line;
      next_line_ = reader.line();
      first_end_ = reader.at();
      break;
    }
    if (whole)
      throw DataError(file() + ", line 1: found no row, expected at least one; check the file");
  }
  if (names_rows_)
    first_.insert(first_.begin(), std::string());
  cells_in_row_ = first_.size();
}

void CsvCells::read_blocks(std::uint64_t block_bytes) {
  constexpr std::uint64_t rows_by_bytes = 1 << 11; // so that a block of 512 KiB has 256 rows
  const auto bytes = std::max(block_bytes, block_bytes / rows_by_bytes * first_end_);
  BlockReader reader(source_, first_end_, bytes);
  std::vector<std::atomic<bool>> has_words(columns_.size());
  std::atomic<bool> failed = false;
  std::mutex mutex;
  on_reading_threads((source_.size() - first_end_) / bytes + 1, [&](Index) {
    BlockPacker packer(missing_, has_words, spill_);
    std::string text;
    for (CsvBlock block; !failed && reader.next(block, text); block = {}) {
      block.sum = sum_of_piece(text);
      if (!is_csv_text(text)
          || !packer.pack(block, text, separator_, cells_in_row_, all_columns(columns()))) {
        failed = true;
        return;
      }
      const std::scoped_lock lock(mutex);
      blocks_.push_back(std::move(block));
    }
  });
  if (failed)
    refuse();
  std::sort(blocks_.begin(), blocks_.end(),
            [](const CsvBlock& a, const CsvBlock& b) { return a.offset < b.offset; });
  std::string begin;
  source_.read(0, first_end_, begin);
  std::vector<PieceSum> sums{sum_of_piece(begin)};
  auto line = next_line_;
  for (auto& block : blocks_) {
    sums.push_back(block.sum);
    block.line = std::exchange(line, line + block.lines);
    block.first_row = std::exchange(rows_, rows_ + block.rows);
  }
  data_ = source_.checksum(sums);
  std::erase_if(blocks_, [](const CsvBlock& block) { return block.rows == 0; });
  std::vector<Index> with_words;
  for (const auto column : all_columns(columns()))
    if (has_words[static_cast<std::size_t>(column)])
      with_words.push_back(column);
  number_words();
  read_words(with_words);
  find_forms();
}

/// Says where the text is no table, by reading it as a whole.
void CsvCells::refuse() const {
  std::string text;
  source_.read(0, source_.size(), text);
  CsvReader reader(text, file(), separator_);
  Index row = 0;
  for (CsvRecord record; reader.next(record); ++row) {
    if (row == 0 && names_rows_)
      record.cells.insert(record.cells.begin(), std::string_view());
    if (static_cast<Index>(record.cells.size()) != columns())
      throw cells_differ(file(), record, columns(), first_line_, row, separator_);
  }
  throw table_changed(file());
}

/// Packs columns of a block again.
void CsvCells::repack(CsvBlock& block, BlockPacker& packer, std::string& text,
                      std::span<const Index> columns) const {
  const auto rows = block.rows;
  source_.read(block.offset, block.bytes, text);
  if (!is_csv_text(text) || !packer.pack(block, text, separator_, cells_in_row_, columns)
      || block.rows != rows)
    throw table_changed(file());
}

void CsvCells::read_words(std::vector<Index> columns) {
  const auto packed_as_words = [&](const CsvBlock& block, Index column) {
    return block.runs[static_cast<std::size_t>(column)].form == CellRun::Form::words;
  };
  const auto complete = [&](Index column) {
    return std::all_of(blocks_.begin(), blocks_.end(),
                       [&](const CsvBlock& block) { return packed_as_words(block, column); });
  };
  for (const auto column : columns)
    column_at(column).has_words = true;
  std::erase_if(columns, complete);
  if (columns.empty())
    return;
  std::vector<std::atomic<bool>> has_words(columns_.size());
  for (const auto column : columns)
    has_words[static_cast<std::size_t>(column)] = true;
  std::atomic<std::size_t> next = 0;
  on_reading_threads(blocks_.size(), [&](Index) {
    BlockPacker packer(missing_, has_words, spill_);
    std::string text;
    for (std::size_t i = next++; i < blocks_.size(); i = next++) {
      auto missing_words = columns;
      std::erase_if(missing_words,
                    [&](Index column) { return packed_as_words(blocks_[i], column); });
      if (!missing_words.empty())
        repack(blocks_[i], packer, text, missing_words);
    }
  });
  number_words();
}

/// Gives the words of all blocks common numbers.
void CsvCells::number_words() {
  std::map<Index, std::vector<std::pair<CsvBlock*, const CsvWords*>>> words_of;
  for (auto& block : blocks_)
    for (const auto& [column, of_block] : block.words)
      words_of[column].emplace_back(&block, &of_block);
  const std::vector<decltype(words_of)::value_type> by_column(words_of.begin(), words_of.end());
  std::vector<std::atomic<bool>> crowded(columns_.size()); // more words than fit between numbers
  for_each_on_threads(by_column.size(), [&](std::size_t i) {
    const auto& [index, of_blocks] = by_column[i];
    auto& column = column_at(index);
    std::vector<CsvWords::Number> renumbered;
    for (const auto& [block, of_block] : of_blocks) {
      auto& run = block->runs[static_cast<std::size_t>(index)];
      renumbered.clear();
      for (CsvWords::Number word = 0; word < of_block->size(); ++word)
        renumbered.push_back(column.words.add((*of_block)[word]));
      if (run.form != CellRun::Form::words && column.words.size() > CellRun::most_words)
        crowded[static_cast<std::size_t>(index)] = true;
      else
        run.renumber(static_cast<std::size_t>(block->rows), renumbered);
    }
    for (auto word = static_cast<CsvWords::Number>(column.missing.size());
         word < column.words.size(); ++word)
      column.missing.push_back(missing_.contains(column.words[word]));
    number_by_style(column);
  });
  for (auto& block : blocks_)
    block.words = {};
  std::vector<Index> as_words;
  for (const auto column : all_columns(columns()))
    if (crowded[static_cast<std::size_t>(column)])
      as_words.push_back(column);
  if (!as_words.empty())
    read_words(as_words);
}

void CsvCells::number_by_style(Column& column) {
  for (auto word = static_cast<CsvWords::Number>(column.numbers.size()); word < column.words.size();
       ++word)
    column.numbers.push_back(styled_number(column.words[word], column.style)
                               .value_or(std::numeric_limits<double>::quiet_NaN()));
}

void CsvCells::set_style(Index column, NumberStyle style) {
  if (!style.plain)
    read_words({column});
  auto& changed = column_at(column);
  changed.style = std::move(style);
  changed.numbers.clear();
  number_by_style(changed);
}

void CsvCells::find_forms() {
  for_each_on_threads(columns_.size(), [this](std::size_t i) {
    const auto c = static_cast<Index>(i);
    column_at(c).forms = column_at(c).has_words ? forms_of_words(c) : forms_of_numbers(c);
  });
}

ColumnForms CsvCells::forms_of_numbers(Index column) const {
  Index known = 0;
  bool definite_point = false, grouped = false;
  for (const auto& block : blocks_) {
    const auto& run = block.runs[static_cast<std::size_t>(column)];
    known += block.rows - run.words;
    definite_point = definite_point || run.definite_point;
    grouped = grouped || run.grouped;
  }
  return {known, definite_point, grouped};
}

ColumnForms CsvCells::forms_of_words(Index column) const {
  const auto& words = this->words(column);
  std::vector<Index> counts(static_cast<std::size_t>(words.size()));
  for (const auto& block : blocks_) {
    const auto& run = block.runs[static_cast<std::size_t>(column)];
    for (std::size_t i = 0; i < static_cast<std::size_t>(block.rows); ++i)
      ++counts[static_cast<std::size_t>(run.word(i))];
    count_use(block);
  }
  std::vector<std::pair<std::string_view, Index>> known;
  for (CsvWords::Number word = 0; word < words.size(); ++word)
    if (const auto count = counts[static_cast<std::size_t>(word)];
        count > 0 && !column_at(column).missing[static_cast<std::size_t>(word)])
      known.emplace_back(words[word], count);
  return ColumnForms(known);
}

void CsvCells::add_first_row() {
  std::vector<Index> with_word;
  for (Index c = 0; c < columns(); ++c)
    if (const auto& text = first_[static_cast<std::size_t>(c)];
        !is_missing(text) && !parse_number(text))
      with_word.push_back(c);
  read_words(with_word);
  CsvBlock block{
    .rows = 1, .offset = first_begin_, .bytes = first_end_ - first_begin_, .line = first_line_};
  std::vector<std::atomic<bool>> has_words(columns_.size());
  for (std::size_t c = 0; c < columns_.size(); ++c)
    has_words[c] = columns_[c].has_words;
  BlockPacker packer(missing_, has_words, spill_);
  std::string text;
  repack(block, packer, text, all_columns(columns()));
  for (auto& other : blocks_)
    ++other.first_row;
  blocks_.insert(blocks_.begin(), std::move(block));
  open_ = {};
  ++rows_;
  number_words();
  find_forms();
}

Index CsvCells::leave_out_empty_columns() {
  const auto is_empty = [this](std::size_t c) {
    const auto& words = columns_[c].words;
    return first_[c].empty() && columns_[c].forms.known() == 0
           && (words.size() == 0 || (words.size() == 1 && words[0].empty()));
  };
  auto kept = first_.size();
  while (kept > 1 && is_empty(kept - 1))
    --kept;
  const auto left_out = first_.size() - kept;
  first_.resize(kept);
  columns_.erase(columns_.begin() + static_cast<std::ptrdiff_t>(kept), columns_.end());
  return static_cast<Index>(left_out);
}

std::size_t CsvCells::block_with(Index row) const {
  const auto after = std::upper_bound(
    blocks_.begin(), blocks_.end(), row,
    [](Index sought, const CsvBlock& block) { return sought < block.first_row; });
  return static_cast<std::size_t>(after - blocks_.begin()) - 1;
}

void CsvCells::reopen(const CsvBlock& block, OpenBlock& open) const {
  open.first_row = -1;
  open.places.clear();
  source_.read(block.offset, block.bytes, open.text);
  if (!is_csv_text(open.text))
    throw table_changed(file());
  auto reader = CsvReader::of_rows(open.text, file(), separator_, 0, block.line);
  while (reader.begin_row()) {
    open.places.push_back({reader.at(), reader.line()});
    do
      reader.cell();
    while (reader.end_cell());
  }
  if (static_cast<Index>(open.places.size()) != block.rows)
    throw table_changed(file());
  open.first_row = block.first_row;
}

const CsvRecord& CsvCells::record(Index row) const {
  if (open_.row == row)
    return open_.record;
  open_.row = -1;
  const auto& block = blocks_[block_with(row)];
  if (open_.first_row != block.first_row)
    reopen(block, open_);
  const auto place = open_.places[static_cast<std::size_t>(row - block.first_row)];
  CsvReader::of_rows(open_.text, file(), separator_, place.byte, place.line).next(open_.record);
  if (open_.record.cells.size() != cells_in_row_)
    throw table_changed(file());
  open_.row = row;
  return open_.record;
}

std::string_view CsvCells::text(Index row, Index column) const {
  if (const auto word = CellCursor(*this, column).word(row); word != CellRun::no_word)
    return words(column)[word];
  return record(row).cells[static_cast<std::size_t>(column)];
}

std::string CsvCells::place(Index row, Index column) const {
  return file() + ", line " + std::to_string(record(row).line) + ", column "
         + std::to_string(column + 1);
}

std::string CsvCells::place_in_first(Index column) const {
  return file() + ", line " + std::to_string(first_line_) + ", column "
         + std::to_string(column + 1);
}

/// A cell that is read brings those around it, of one column or a few, into memory.
void CsvCells::count_use(const CsvBlock& block) const {
  constexpr std::size_t around = 1 << 16; // bytes that the system maps with a page
  if (spill_)
    spill_->count_use(static_cast<std::size_t>(block.rows) * sizeof(double) + around);
}

void CsvCells::release_before(Index row) {
  for (auto& block : blocks_)
    if (block.first_row + block.rows <= row)
      block.pages.clear();
}

void CellCursor::seek(Index row) {
  const auto& block = cells_->blocks_[cells_->block_with(row)];
  run_ = &block.runs[index_];
  first_ = block.first_row;
  end_ = block.first_row + block.rows;
  cells_->count_use(block);
}

} // namespace troupe
