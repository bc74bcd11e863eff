// Runs as the JSON that the dashboard's addresses answer (docs/reference/dashboard-api.md).
#pragma once

#include "apps/run_index/run_entry.hpp"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace troupe {

/// A row of the table as it was when its run was last read.
struct RunRow {
  std::string id;
  std::string json; ///< as table_row() gives it
  std::vector<SharedValue> configuration;
  std::set<std::string> records; ///< in the table
  ShownState state = ShownState::fresh;
  FoundFolder found;
};

using RunRows = std::vector<std::shared_ptr<const RunRow>>;

std::shared_ptr<const RunRow> row_of_run(const RunEntry& run);

/// A number, or null for one that is not finite.
nlohmann::ordered_json number_or_null(double value);

/// "2026-01-31T12:00:00.000Z" of seconds since 1970.
std::string utc_time_text(double seconds);

/// JSON on one line; bytes that are not UTF-8 are replaced.
std::string one_line(const nlohmann::ordered_json& json);

/// A row of the table, without its configuration.
nlohmann::ordered_json table_row(const RunEntry& run);

/// The answer of /api/runs: all rows, and the configuration values that most of them share once.
std::string runs_answer(const RunRows& runs);

/// The answer of /api/runs/ID.
nlohmann::ordered_json run_answer(const RunEntry& run);

/// The files of a run, and the pictures in the folders in it, like "samples/epoch-1.png".
std::vector<std::string> listed_files(const std::filesystem::path& run);

bool is_picture(std::string_view name);

/// Whether the file in a run's folder may be read by its name: pictures, and texts of results.
bool is_shown_file(const std::string& name);

/// A row of the log.
nlohmann::ordered_json log_row(const ScannedRow& row, std::uint64_t number, bool counts);

} // namespace troupe
