#pragma once

#include "actors/log/log_store.hpp"
#include "base/files/growing_file.hpp"

#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// Copies a run's log.jsonl into a store. The lines of each log have numbers, from 1 for its start,
/// and the store counts those that it has in the transaction that adds them. So it lacks nothing and
/// has nothing twice, however long it was away and whenever a process was killed: the next flush, or
/// the next start of the run, continues after the last line that it has.
class StoreWriter {
public:
  StoreWriter(std::string store, std::filesystem::path log);
  StoreWriter(const StoreWriter&) = delete;
  StoreWriter& operator=(const StoreWriter&) = delete;

  /// Copies the next lines that the store lacks, some hundred kilobytes at most, in one transaction.
  /// @param patience how long to wait for another program that locks the store
  /// @returns "", or why the store refused them, which is reported once in each outage.
  std::string flush(std::chrono::milliseconds patience);
  /// Whether another flush may find more lines at once.
  bool behind() const { return behind_; }
  /// Whether the store refused the lines of the last flush.
  bool refused() const { return refused_; }
  /// Whether the process that writes the log has ended in good order, and the store has all of it.
  bool ended() const { return place_.ended && lines_.empty(); }
  /// The number of lines that the store lacks.
  std::size_t missing();

private:
  /// A line of a log, and how many lines of that log the store has.
  struct Place {
    std::string id;
    std::int64_t line = 0, stored = 0;
    bool ended = false;
  };

  void read_piece();
  void open_store(std::chrono::milliseconds patience);
  void copy_piece();
  void copy(const std::string& text, Place& place);

  std::string store_path_;
  GrowingFile file_;
  std::optional<LogStore> store_;  ///< once it could be opened
  ino_t store_file_ = 0;           ///< that was opened
  std::vector<std::string> lines_; ///< of the file, that are not in the store yet
  Place place_;                    ///< of the last line before them
  bool behind_ = false, refused_ = false;
};

} // namespace troupe
