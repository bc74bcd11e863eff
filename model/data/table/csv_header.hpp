#pragma once

#include "model/data/table/csv_cells.hpp"

namespace troupe {

/// True if the first row of a table contains names, if the options do not say.
///
/// It does if it has words above columns of numbers or dates, if it is a progression (0,1,2
/// or 1990,1991,1992) and no other row is, or if its words do not occur in columns whose words
/// repeat. A name may be empty, occur twice or be a word for a missing value.
/// @throws DataError if this cannot be decided
bool first_row_has_names(const CsvCells& table);

/// A first line that counts rows and columns and lists the classes, as in scikit-learn's tables, is
/// neither a header nor data. @throws DataError if the table begins with one
void check_no_title(const CsvCells& table);

} // namespace troupe
