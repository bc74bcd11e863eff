// Sources of logs: files in the folders of runs, and stores. Both may grow while they are read.
#pragma once

#include "apps/folder/run_log.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace troupe {

class LogSource {
public:
  explicit LogSource(std::string name) : name_(std::move(name)) {}
  virtual ~LogSource() = default;
  LogSource(const LogSource&) = delete;
  LogSource& operator=(const LogSource&) = delete;

  /// Reads what was written since the last call. @throws IoError
  /// @param growing an incomplete last line is left for the next call; else it counts as damaged
  virtual void poll(bool growing) = 0;
  void forget_rows() { log_.forget_rows(); }

  const std::string& name() const { return name_; } ///< distinguishes it from the others
  const RunLog& log() const { return log_; }
  /// The folder of the run; "" for a store.
  virtual std::filesystem::path folder() const { return {}; }
  std::size_t damaged() const { return damaged_; }                    ///< lines that were skipped
  const std::string& first_damaged() const { return first_damaged_; } ///< "path:line"

protected:
  std::string name_;
  RunLog log_;
  std::size_t damaged_ = 0;
  std::string first_damaged_;
};

/// "3 lines were skipped, damaged or half written".
std::string skipped_lines(std::size_t lines);

/// The log files of a run: its folder's own, then those of the folders in it, by number.
/// @param run a folder, or such a file
/// @throws IoError if there is none; the sentence says what to give.
std::vector<std::filesystem::path> log_files(const std::filesystem::path& run);

using LogSources = std::vector<std::unique_ptr<LogSource>>;

/// The logs that a command names, not read yet. Of several folders, those without a log are left
/// out, with a line on standard error.
/// @param runs folders of runs or of launched clusters, files, "latest" or "last"; with a store:
/// names of runs, the first digits of a log's id, or "latest"
/// @throws IoError if there is no such log; the sentence says which there are.
LogSources find_logs(const std::vector<std::string>& runs, const std::string& store);

} // namespace troupe
