#pragma once

namespace troupe {

class CsvTable;

/// Whether the first row of a table that has not been asked before is one of names.
///
/// It is where it has words above columns of numbers or dates, where it counts (0,1,2 or
/// 1990,1991,1992) and no other row does, or where it has no word of columns whose words repeat. A
/// name may be empty, be there twice or be a word for a missing value.
/// @throws DataError where that cannot be told.
bool first_row_has_names(const CsvTable& table);

} // namespace troupe
