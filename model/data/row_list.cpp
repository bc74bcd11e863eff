#include "model/data/row_list.hpp"

#include "base/failure.hpp"
#include "base/text/number_in.hpp"
#include "base/text/text.hpp"
#include "base/text/utf8.hpp"
#include "model/formats/data_file.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string_view>

namespace troupe {

namespace {

constexpr std::uint64_t largest_row_file = std::uint64_t{1} << 30; // bytes, unpacked

/// Calls `use` with each nonempty piece of the text.
template <class Use>
void for_each_piece(std::string_view text, const char* separators, Use use) {
  while (!text.empty()) {
    const auto end = std::min(text.find_first_of(separators), text.size());
    if (const auto piece = trimmed(text.substr(0, end)); !piece.empty())
      use(piece);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

/// Rows first .. end - 1.
struct RowRange {
  Index first = 0, end = 0;
};

std::optional<Index> row_number(std::string_view text) {
  const auto number = number_in<Index>(text);
  return number && *number >= 0 ? number : std::nullopt;
}

/// Parses a number or a range; nothing for other text.
std::optional<RowRange> row_range(std::string_view text) {
  const auto dots = text.find("..");
  if (dots == text.npos) {
    const auto row = row_number(text);
    return row ? std::optional{RowRange{*row, *row + 1}} : std::nullopt;
  }
  const auto first = row_number(trimmed(text.substr(0, dots)));
  const auto end = row_number(trimmed(text.substr(dots + 2)));
  return first && end ? std::optional{RowRange{*first, *end}} : std::nullopt;
}

class RowCollector {
public:
  explicit RowCollector(Index size) : taken_(static_cast<std::size_t>(size)) {}

  /// @throws std::invalid_argument for a range that is empty or ends beyond the section, and for
  ///         duplicate rows
  void add(std::string_view text, RowRange range) {
    const auto size = static_cast<Index>(taken_.size());
    const std::string quoted = "'" + std::string{text} + "'";
    if (range.first >= range.end)
      throw std::invalid_argument(
        quoted
        + " is empty: a range includes its first number and excludes its second, like 0..100");
    if (range.end > size)
      throw std::invalid_argument(
        quoted + " is beyond the section's " + std::to_string(size)
        + (size == 0 ? " rows; take rows of another section"
                     : " rows, which are numbered from 0 to " + std::to_string(size - 1)));
    for (auto row = range.first; row < range.end; ++row) {
      if (taken_[static_cast<std::size_t>(row)])
        throw std::invalid_argument("row " + std::to_string(row)
                                    + " occurs twice; remove one of them");
      taken_[static_cast<std::size_t>(row)] = true;
      rows_.push_back(row);
    }
  }

  /// @throws IoError, DataError
  void add_file(const std::string& path) {
    const auto whole = read_text(path, largest_row_file);
    const auto text = without_utf8_mark(whole);
    const auto line_of = [&](std::string_view piece) {
      return ", line " + std::to_string(std::count(text.data(), piece.data(), '\n') + 1);
    };
    for_each_piece(text, ", \t\r\n", [&](std::string_view piece) {
      const auto range = row_range(piece);
      if (!range)
        throw DataError(path + line_of(piece) + ": '" + std::string{piece.substr(0, 60)}
                        + "' is neither a row's number nor a range like 0..100; give a file as "
                          "`troupe split` writes it");
      try {
        add(piece, *range);
      } catch (const std::invalid_argument& e) {
        throw DataError(path + line_of(piece) + ": " + e.what());
      }
    });
  }

  std::vector<Index> take() { return std::move(rows_); }

private:
  std::vector<bool> taken_;
  std::vector<Index> rows_;
};

} // namespace

std::vector<Index> parse_rows(const std::vector<std::string>& texts, Index size) {
  RowCollector rows{size};
  for (const auto& text : texts)
    for_each_piece(text, ",", [&](std::string_view piece) {
      std::error_code ignored;
      if (const auto range = row_range(piece))
        rows.add(piece, *range);
      else if (std::filesystem::exists(piece, ignored))
        rows.add_file(std::string{piece});
      else
        throw std::invalid_argument("'" + std::string{piece}
                                    + "' is neither a row's number, nor a range like 0..100, nor "
                                      "a file that exists");
    });
  return rows.take();
}

std::string list_text(const std::vector<Index>& rows) {
  return joined(rows, ", ", [](Index row) { return std::to_string(row); }) + "\n";
}

} // namespace troupe
