#pragma once

#include "model/data/table/csv_fit.hpp"
#include "model/data/table/csv_rows.hpp"
#include "model/data/table/csv_table.hpp"

#include <span>
#include <string>
#include <vector>

namespace troupe {

/// For people, a line for each thing: numbers that are not written plainly, cells without value,
/// rows that were left out, and columns of which a model learns nothing as they are.
/// @param columns that are used, the label's last
/// @param training rows of the table
std::vector<std::string> notes_on_table(const CsvTable& table, const CsvFit& fit,
                                        const UsedRows& used, std::span<const Index> columns,
                                        std::span<const Index> training);

} // namespace troupe
