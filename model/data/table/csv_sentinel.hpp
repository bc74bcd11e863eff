#pragma once

#include "model/data/table/csv_table.hpp"

#include <optional>
#include <set>
#include <string>

namespace troupe {

/// A number that stands for a missing value, as -999 does in many tables.
struct Sentinel {
  double number = 0;
  Index rows = 0;                   ///< that have it
  double smallest = 0, largest = 0; ///< of the column's other numbers
};

/// The column's smallest or largest number if it consists of nines, and is farther from the other
/// numbers than they are from each other; a positive one has to occur twice. Safe from several
/// threads at once.
std::optional<Sentinel> sentinel_of(const CsvTable& table, Index column);

/// A number as a column writes it: "-999", "-999.0".
std::set<std::string> texts_of(const CsvTable& table, Index column, double number);

} // namespace troupe
