// Finds the logs that a command names: in the folders of runs, or in a store.
#pragma once

#include "apps/folder/log_source.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace troupe {

/// "3 lines were skipped, damaged or half written".
std::string skipped_lines(std::size_t lines);

/// The log files of a run: its folder's own, then those of the folders in it, by number.
/// @param run a folder, or such a file
/// @throws IoError if there is none; the sentence says what to give.
std::vector<std::filesystem::path> log_files(const std::filesystem::path& run);

struct FoundLog {
  std::string name; ///< distinguishes it from the others
  std::unique_ptr<LogSource> source;
};
using FoundLogs = std::vector<FoundLog>;

/// The logs that a command names, not read yet. Of several folders, those without a log are left
/// out, with a line on standard error.
/// @param runs folders of runs or of launched clusters, files, "latest" or "last"; with a store:
/// names of runs, the first digits of a log's id, or "latest"
/// @throws IoError if there is no such log; the sentence says which there are.
FoundLogs find_logs(const std::vector<std::string>& runs, const std::string& store);

} // namespace troupe
