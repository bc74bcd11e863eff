#pragma once

#include "model/data/problem.hpp"
#include "model/data/table/csv_fit.hpp"
#include "model/data/table/csv_rows.hpp"
#include "model/data/table/csv_table.hpp"

namespace troupe {

/// The label column: classes, or numbers that stay in the table.
struct CsvTarget {
  std::vector<std::int32_t> classes;  ///< of each row; none for a regression
  std::vector<std::string> levels;    ///< names of the classes
  NumberStyle style = {};             ///< of the numbers, for a regression
  std::vector<std::string> untrained; ///< names of masked classes, which no training row has
};

/// Reads column `label` of the given rows, none of which misses it. Reads its words where it needs
/// them.
///
/// With task auto it is a regression if all labels are numbers, unless they are integers with at
/// most 20 different values; otherwise a classification. Classes are the levels of all rows,
/// sorted, by value if all are numbers.
/// @param task auto, classification or regression
/// @throws std::invalid_argument for another task; DataError if a label is not a number in a
///         regression, or, for auto, where most others are
CsvTarget read_target(CsvTable& table, Index label, const TableRows& rows, const std::string& task);

/// Keeps the classes that occur in the training rows, and masks the others.
/// @param training indices into the rows that `target` was read from
void keep_trained_classes(CsvTarget& target, std::span<const Index> training);

/// The same with the classes of a fit, in their order.
/// @throws DataError for a class that the fit does not have, or for text if it has numbers
CsvTarget read_target(CsvTable& table, Index label, const TableRows& rows, const TargetFit& fit);

} // namespace troupe
