// The runs that the dashboard shows. The watcher writes it while requests read it.
#pragma once

#include "apps/dashboard/run_text.hpp"
#include "apps/run_index/stored_runs.hpp"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace troupe {

struct TableChanges {
  std::vector<std::string> changed; ///< rows as JSON
  std::vector<std::string> gone;    ///< ids
};

class RunTable {
public:
  /// @param stores whose runs are shown, too
  explicit RunTable(std::vector<std::filesystem::path> roots,
                    const std::vector<std::filesystem::path>& stores = {});

  // For the watcher, one thread.

  /// Searches the folders, and reads the small files of all runs; no logs.
  void scan(TableChanges& changes);
  /// Reads new rows and states. @param all runs, or only those alive and the `watched`
  void read_logs(bool all, const std::set<std::string>& watched, TableChanges& changes);

  // For requests.

  RunRows rows() const;
  std::shared_ptr<const RunRow> row(const std::string& id) const; ///< nullptr: unknown
  std::vector<FoundFolder> grids() const;
  std::vector<FoundFolder> clusters() const;
  const std::vector<std::filesystem::path>& roots() const { return roots_; }

  /// Calls `read` with a run that does not change meanwhile. @returns false for an unknown id
  bool with(const std::string& id, const std::function<void(const RunEntry& run)>& read) const;

private:
  struct Held {
    Held(const FoundFolder& found, std::shared_ptr<LogStore> store, SharedTexts& texts)
      : entry(found, opened_log(found, std::move(store)), texts) {}
    std::mutex mutex;
    RunEntry entry;
  };

  std::map<std::string, std::shared_ptr<Held>> held() const;
  void publish(const RunEntry& run, TableChanges& changes);
  void find_stored(std::vector<FoundFolder>& runs);

  std::vector<std::filesystem::path> roots_;
  std::map<std::filesystem::path, std::shared_ptr<LogStore>> stores_; ///< nullptr: not opened yet
  SharedTexts texts_; ///< only the watcher adds to it
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Held>> held_;
  std::map<std::string, std::shared_ptr<const RunRow>> rows_;
  std::vector<FoundFolder> grids_, clusters_;
};

/// Rows of a run's log by number, as far as they are written.
struct LogRows {
  std::uint64_t from = 0, next = 0, total = 0;
  std::vector<nlohmann::ordered_json> rows;
};

/// @param from number of the first row; a negative one counts from the end
LogRows log_rows(const RunEntry& run, std::int64_t from, std::size_t most);

} // namespace troupe
