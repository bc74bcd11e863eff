#include "model/data/table/csv_block.hpp"

#include "model/data/table/csv_column_forms.hpp"
#include "model/data/table/csv_numbers.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

namespace troupe {

namespace {

constexpr std::size_t most_exact_digits = 15; // less than 2^53
constexpr double most_packed_digits = -double{CellRun::least_digits};

/// digits / 10^decimals
struct PlainDecimal {
  std::int64_t digits = 0;
  std::uint8_t decimals = 0;
  bool point = false;
};

/// Reads the most common numbers, such as -12.5, if their digits are an exact double.
bool read_plain_decimal(std::string_view cell, PlainDecimal& number) {
  if (cell.empty())
    return false;
  const std::int64_t minus = cell[0] == '-' ? 1 : 0; // arithmetic, as no branch can be predicted
  cell = {cell.data() + minus, cell.size() - static_cast<std::size_t>(minus)};
  if (cell.size() > most_exact_digits + 1)
    return false;
  std::int64_t digits = 0;
  auto point = cell.size();
  for (std::size_t i = 0; i < cell.size(); ++i) {
    const auto digit = static_cast<unsigned>(cell[i]) - '0';
    if (digit < 10)
      digits = 10 * digits + digit;
    else if (cell[i] == '.' && point == cell.size())
      point = i;
    else
      return false;
  }
  number.point = point < cell.size();
  const auto count = cell.size() - (number.point ? 1 : 0);
  number.decimals = static_cast<std::uint8_t>(number.point ? count - point : 0);
  number.digits = (digits ^ -minus) + minus;
  return count > 0 && count <= most_exact_digits && (minus == 0 || digits > 0); // -0 has a sign
}

} // namespace

OwnPages own_pages(std::size_t bytes) {
  auto* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    throw std::bad_alloc();
  return {static_cast<std::byte*>(memory), UnmapPages{bytes}};
}

void UnmapPages::operator()(std::byte* memory) const { munmap(memory, bytes); }

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

void BlockPacker::pack(CsvBlock& block, const CsvTexts& texts, std::span<const Index> columns) {
  const auto all = static_cast<std::size_t>(texts.columns);
  block.runs.resize(all);
  packed_.clear();
  std::vector<std::size_t> places;
  for (const auto c : columns) {
    const auto column = static_cast<std::size_t>(c);
    auto& run = block.runs[column];
    CsvWords words;
    run = {};
    if (has_words_[column] || !read_numbers(texts, column, run, words)) {
      has_words_[column] = true;
      read_words(texts, column, run, words);
    }
    if (run.form != CellRun::Form::words)
      choose_form(run);
    places.push_back(append_cells(run));
    if (words.size() > 0)
      block.words.emplace_back(c, std::move(words));
  }
  if (packed_.empty())
    return;
  const auto& pages = block.pages.emplace_back(own_pages(packed_.size()));
  std::memcpy(pages.get(), packed_.data(), packed_.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    auto& run = block.runs[static_cast<std::size_t>(columns[i])];
    run.cells = pages.get() + places[i];
    if (run.form == CellRun::Form::decimals)
      run.decimals
        = reinterpret_cast<std::uint8_t*>(run.cells + texts.rows() * sizeof(std::int32_t));
  }
}

bool BlockPacker::read_numbers(const CsvTexts& texts, std::size_t column, CellRun& run,
                               CsvWords& words) {
  const auto rows = texts.rows();
  values_.resize(rows);
  decimals_.resize(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    const auto text = texts.at(row, column);
    PlainDecimal decimal;
    const bool no_number = numbers_may_be_missing_ && missing_.contains(text);
    if (!no_number && read_plain_decimal(text, decimal)) {
      values_[row] = decimal.digits;
      decimals_[row] = decimal.decimals;
    } else if (const auto number = no_number ? std::nullopt : parse_number(text)) {
      values_[row] = std::bit_cast<std::int64_t>(*number);
      decimals_[row] = is_double;
      decimal.point = true;
    } else if (missing_.contains(text) && words.size() < CellRun::most_words) {
      values_[row] = words.add(text);
      decimals_[row] = is_word;
      ++run.words;
      continue;
    } else {
      return false;
    }
    if (decimal.point && !run.definite_point) {
      const auto point = point_of(text);
      run.definite_point = point == Point::decimal;
      run.grouped = run.grouped || point == Point::either;
    }
  }
  return true;
}

void BlockPacker::read_words(const CsvTexts& texts, std::size_t column, CellRun& run,
                             CsvWords& words) {
  const auto rows = texts.rows();
  values_.resize(rows);
  run = {.form = CellRun::Form::words, .words = static_cast<Index>(rows)};
  words = {};
  for (std::size_t row = 0; row < rows; ++row)
    values_[row] = words.add(texts.at(row, column));
}

/// Finds how few bytes hold the numbers.
void BlockPacker::choose_form(CellRun& run) const {
  std::array<std::int64_t, 16> largest{}; // digits, by their decimals
  std::size_t most = 0;                   // decimals
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const auto decimals = decimals_[i];
    if (decimals == is_word)
      continue;
    run.form = decimals == is_double ? CellRun::Form::doubles : run.form;
    if (decimals == is_double)
      return;
    largest[decimals] = std::max(largest[decimals], std::abs(values_[i]));
    most = std::max<std::size_t>(most, decimals);
  }
  const auto fit = [&](std::size_t common) { // with this many decimals, each with at least its own
    for (std::size_t own = 0; own <= most; ++own)
      if (static_cast<double>(largest[own]) * powers_of_ten[common > own ? common - own : 0]
          > most_packed_digits)
        return false;
    return true;
  };
  run.form = fit(most) ? CellRun::Form::scaled
             : fit(0)  ? CellRun::Form::decimals
                       : CellRun::Form::doubles;
  run.power = powers_of_ten[most];
}

template <class T, class ValueOf>
std::size_t BlockPacker::append(ValueOf value_of) {
  const auto place = (packed_.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T);
  packed_.resize(place + values_.size() * sizeof(T));
  auto* to = reinterpret_cast<T*>(packed_.data() + place);
  for (std::size_t i = 0; i < values_.size(); ++i)
    to[i] = static_cast<T>(value_of(i));
  return place;
}

/// @returns the place of the cells in `packed_`
std::size_t BlockPacker::append_cells(const CellRun& run) {
  const auto digits = [&](std::size_t i) {
    return decimals_[i] == is_word ? CellRun::digits_of(static_cast<CellRun::Word>(values_[i]))
                                   : values_[i];
  };
  std::array<std::int64_t, 16> factors{}; // to the decimals that all have
  for (std::size_t own = 0; own < factors.size() && powers_of_ten[own] <= run.power; ++own)
    factors[own] = static_cast<std::int64_t>(run.power / powers_of_ten[own]);
  switch (run.form) {
  case CellRun::Form::words:
    return append<CellRun::Word>([&](std::size_t i) { return values_[i]; });
  case CellRun::Form::scaled:
    return append<std::int32_t>([&](std::size_t i) {
      return decimals_[i] == is_word ? digits(i) : factors[decimals_[i]] * values_[i];
    });
  case CellRun::Form::decimals: {
    const auto place = append<std::int32_t>(digits);
    append<std::uint8_t>([&](std::size_t i) { return decimals_[i]; });
    return place;
  }
  case CellRun::Form::doubles: break;
  }
  return append<double>([&](std::size_t i) {
    return decimals_[i] == is_double ? std::bit_cast<double>(values_[i])
           : decimals_[i] == is_word
             ? CellRun::double_of(static_cast<CellRun::Word>(values_[i]))
             : static_cast<double>(values_[i]) / powers_of_ten[decimals_[i]];
  });
}

} // namespace troupe
