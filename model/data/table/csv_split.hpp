#pragma once

#include "model/data/split.hpp"
#include "model/data/table/csv_rows.hpp"
#include "model/data/table/csv_table.hpp"

namespace troupe {

/// Splits rows by a column with the words train, validation and test, in any case.
/// @param rows of the table that are used; the sections contain indices into them
/// @throws DataError for another word, and if no row is for training
Split split_by_column(const CsvTable& table, Index column, const TableRows& rows);

} // namespace troupe
