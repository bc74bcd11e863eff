// Reads a run's log row by row: however long the log is, one row at a time is in memory.
#pragma once

#include "apps/folder/log_source.hpp"
#include "extensions/support/logged_rows.hpp"

#include <filesystem>
#include <functional>
#include <set>
#include <string>

namespace troupe {

using VisitRow = std::function<void(const LoggedRow& row)>;
/// Calls `visit` with each row that counts of a log that does not grow, in the order of writing.
/// @throws IoError
void each_row(LogSource& log, const VisitRow& visit);

/// Hands each row that counts of a run's log to `take`: what an extension reads an earlier run
/// with.
/// @param path the run's folder, or a file in it. @throws IoError
void read_logged_rows(const std::filesystem::path& path, const TakeLoggedRow& take);

/// The last value of a record in the log of a run's folder; NaN if there is none.
/// @throws IoError
double last_record(const std::filesystem::path& folder, const std::string& name);

/// The names of all records there. @throws IoError
std::set<std::string> recorded_names(const std::filesystem::path& folder);

} // namespace troupe
