#include "model/data/table/csv_separator.hpp"

#include "base/failure.hpp"
#include "model/data/table/csv_dates.hpp"
#include "model/data/table/csv_missing.hpp"
#include "model/data/table/csv_numbers.hpp"
#include "model/data/table/csv_reader.hpp"
#include "model/data/table/csv_separator_text.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace troupe {

namespace {

constexpr std::size_t usually_sampled = 1 << 16; // bytes
constexpr std::size_t least_lines = 4;           // sampled, whatever their length
constexpr std::size_t most_records = 200;

/// The first rows of a text, read with some separator.
struct SeparatorTrial {
  char mark = ',';
  std::size_t columns = 0;
  double share = 0;        // share of the rows with this many cells
  bool names_rows = false; // the first row has one cell less than all others
  std::size_t numbers = 0; // columns with numbers or dates below the first row

  bool fits() const { return columns >= 2 && share == 1; }
};

using SampledRows = std::vector<std::vector<std::string>>;

SampledRows sampled_rows(std::string text, char mark, bool cut) {
  SampledRows rows;
  try {
    CsvReader reader(text, "", mark);
    for (CsvRecord record; rows.size() < most_records && reader.next(record);)
      rows.emplace_back(record.cells.begin(), record.cells.end());
    return rows;
  } catch (const DataError&) { // an error that reading the whole text reports, unless only the
                               // sample is cut
    return cut ? rows : SampledRows{};
  }
}

std::size_t columns_of_numbers(const SampledRows& rows, std::size_t columns) {
  const MissingWords missing;
  std::size_t numeric = 0;
  for (std::size_t c = 0; c < columns; ++c) {
    NumberForms numbers;
    DateForms dates;
    for (std::size_t r = rows.size() == 1 ? 0 : 1; r < rows.size(); ++r)
      if (c < rows[r].size() && !missing.contains(rows[r][c])) {
        numbers.add(rows[r][c]);
        dates.add(rows[r][c]);
      }
    numeric += numbers.agree() || dates.agree() ? 1 : 0;
  }
  return numeric;
}

/// A header as R writes it: one name less than there are columns, because the first column has row
/// names, which are words or consecutive numbers. (With unquoted decimal commas there are also
/// fewer names.)
bool names_rows(const SampledRows& rows, std::size_t columns) {
  if (rows.size() < 3 || rows[0].size() + 1 != columns)
    return false;
  const auto is_word = [](const auto& cell) { return !cell.empty() && !parse_number(cell); };
  bool words = true, count = true;
  for (std::size_t r = 1; r < rows.size(); ++r) {
    if (rows[r].size() != columns || rows[r].back().empty())
      return false;
    words = words && is_word(rows[r].front());
    count = count && parse_number(rows[r].front()) == static_cast<double>(r);
  }
  return (words || count) && std::all_of(rows[0].begin(), rows[0].end(), is_word);
}

/// The first complete lines of a text.
std::string_view sample_of_text(std::string_view text) {
  if (text.size() <= usually_sampled)
    return text;
  std::size_t end = 0;
  for (std::size_t line = 0; line < least_lines && end < text.size(); ++line)
    end = std::min(text.find_first_of("\r\n", end), text.size() - 1) + 1;
  const auto usual = text.substr(0, usually_sampled).find_last_of("\r\n");
  return text.substr(0, usual == text.npos ? end : std::max(end, usual + 1));
}

SeparatorTrial tried(std::string_view text, char mark) {
  const auto sample = sample_of_text(text);
  const auto rows = sampled_rows(std::string(sample), mark, sample.size() < text.size());
  SeparatorTrial trial{.mark = mark};
  for (const auto& row : rows) {
    const auto same = static_cast<std::size_t>(std::count_if(
      rows.begin(), rows.end(), [&](const auto& other) { return other.size() == row.size(); }));
    const auto share = static_cast<double>(same) / static_cast<double>(rows.size());
    if (share > trial.share) {
      trial.share = share;
      trial.columns = row.size();
    }
  }
  trial.names_rows = names_rows(rows, trial.columns);
  if (trial.columns >= 2)
    trial.numbers = columns_of_numbers(rows, trial.columns);
  return trial;
}

/// "3 columns with ; and 2 with ,"
std::string columns_of_trials(const SeparatorTrial& a, const SeparatorTrial& b) {
  return std::to_string(a.columns) + " columns with the separator " + separator_text(a.mark)
         + " and " + std::to_string(b.columns) + " with " + separator_text(b.mark);
}

} // namespace

CsvSeparator known_separator(std::string_view text, char mark) {
  return {.mark = mark, .names_rows = tried(text, mark).names_rows};
}

CsvSeparator find_separator(std::string_view text, const std::string& file, char likely) {
  std::vector<SeparatorTrial> trials;
  for (const auto mark : {',', ';', '\t', '|', '^', '~'})
    trials.push_back(tried(text, mark));
  const auto better = [](const SeparatorTrial& a, const SeparatorTrial& b) {
    if (!a.fits() || !b.fits())
      return a.fits() && !b.fits();
    // 1,5;2,5 has two numbers with either separator, in two columns or in three.
    return a.numbers != b.numbers ? a.numbers > b.numbers : a.numbers > 0 && a.columns < b.columns;
  };
  std::stable_sort(trials.begin(), trials.end(), better);
  auto best = trials[0];
  const auto blanks = tried(text, ' ');
  const bool tabs = best.fits() && best.mark == '\t'; // then blanks are part of cells
  if (blanks.fits() && !tabs && better(blanks, best)) {
    best = blanks;
  } else if (best.fits() && trials[1].fits() && !better(best, trials[1])) {
    if (best.mark == likely || trials[1].mark == likely)
      return {.mark = likely};
    throw DataError(file + ", line 1: its rows have " + columns_of_trials(best, trials[1])
                    + "; say which it is: problem.separator=\"" + separator_text(best.mark)
                    + "\" or problem.separator=\"" + separator_text(trials[1].mark) + "\"");
  }
  if (best.fits())
    return {.mark = best.mark};
  if (likely != '\0' && tried(text, likely).share == 1)
    return {.mark = likely};
  trials.push_back(blanks);
  for (const auto& trial : trials)
    if (trial.names_rows)
      return {.mark = trial.mark, .names_rows = true};
  // If no separator fits all rows, the error message for the first one is the most useful.
  std::stable_sort(trials.begin(), trials.end(), [](const auto& a, const auto& b) {
    const auto many
      = [](const SeparatorTrial& trial) { return trial.columns >= 2 ? trial.share : 0; };
    return many(a) > many(b);
  });
  return {.mark = trials[0].columns >= 2 ? trials[0].mark : ','};
}

} // namespace troupe
