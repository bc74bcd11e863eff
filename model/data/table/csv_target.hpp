#pragma once

#include "model/data/problem.hpp"
#include "model/data/table/csv_fit.hpp"
#include "model/data/table/csv_table.hpp"

namespace troupe {

/// The label column, read: classes, or numbers.
struct CsvTarget {
  std::vector<std::int32_t> classes; ///< of each row, where it is a classification
  std::vector<double> values;        ///< of each row, where it is a regression, not standardised
  std::vector<std::string> levels;   ///< names of the classes
  NumberStyle style = {};            ///< of the values
  std::vector<std::string>
    untrained; ///< names of those that are masked, since no row is trained on
};

/// Reads column `label` of the rows `rows`, none of which misses it.
///
/// The task auto is a regression where all labels are numbers, unless they are whole and at most 20
/// different ones; else a classification. Classes are the levels of all rows, sorted, by number
/// where all are numbers.
/// @param task auto, classification or regression
/// @throws std::invalid_argument for another task; DataError where a label is no number in a
///         regression, or for auto, where most of the others are.
CsvTarget read_target(const CsvTable& table, Index label, std::span<const Index> rows,
                      const std::string& task);

/// Leaves the classes that some of the rows `training` have; the others are masked.
/// @param training places in the rows that `target` was read of
void keep_trained_classes(CsvTarget& target, std::span<const Index> training);

/// The same by what earlier rows have taught: their classes, in their order.
/// @throws DataError for a class that they do not have, or no number where theirs were.
CsvTarget read_target(const CsvTable& table, Index label, std::span<const Index> rows,
                      const TargetFit& fit);

} // namespace troupe
