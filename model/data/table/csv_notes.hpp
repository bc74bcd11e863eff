#pragma once

#include "model/data/table/csv_fit.hpp"
#include "model/data/table/csv_rows.hpp"
#include "model/data/table/csv_table.hpp"

#include <span>
#include <string>
#include <vector>

namespace troupe {

/// To print, one line each: numbers that are not plain, missing cells, skipped rows, and columns
/// that a model cannot learn from as they are.
/// @param columns that are used, the label last
/// @param training rows of the table
std::vector<std::string> notes_on_table(const CsvTable& table, const CsvFit& fit,
                                        const UsedRows& used, std::span<const Index> columns,
                                        std::span<const Index> training);

} // namespace troupe
