#pragma once

#include "model/data/split.hpp"
#include "model/data/table/csv_table.hpp"

#include <span>

namespace troupe {

/// The sections that a column of the words train, validation and test says; capitals do not matter.
/// @param rows of the table that are used; a section holds places in them
/// @throws DataError for another word, and where no row is to train on.
Split split_by_column(const CsvTable& table, Index column, std::span<const Index> rows);

} // namespace troupe
