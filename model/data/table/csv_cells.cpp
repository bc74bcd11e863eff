#include "model/data/table/csv_cells.hpp"

#include <optional>
#include <utility>

namespace troupe {

CsvCells::CsvCells(std::string file_name, std::string file_text, MissingWords missing_words)
  : file(std::move(file_name)),
    text(std::move(file_text)),
    missing(std::move(missing_words)) {}

void CsvCells::find_forms(Index first_row) {
  forms.clear();
  for (Index c = 0; c < columns; ++c)
    forms.emplace_back(
      [this, c](Index row) {
        return is_missing(row, c) ? std::nullopt : std::optional{cell(row, c)};
      },
      first_row, rows());
}

std::string CsvCells::place(Index row, Index column) const {
  return file + ", line " + std::to_string(lines[static_cast<std::size_t>(row)]) + ", column "
         + std::to_string(column + 1);
}

} // namespace troupe
