// Follows a log in a store: hands on its rows, and those of the logs that it continues.
#pragma once

#include "actors/log/log_store.hpp"
#include "apps/folder/log_source.hpp"

#include <memory>
#include <string>
#include <vector>

namespace troupe {

class StoredLogReader : public LogSource {
public:
  /// @param id of the last start of the run that the store has
  StoredLogReader(std::shared_ptr<LogStore> store, std::string id)
    : store_(std::move(store)),
      id_(std::move(id)) {}

  void poll(LogTaker& taker, bool growing = true,
            std::uint64_t most_bytes = GrowingFile::Extent::all) override;
  std::uint64_t position() const override { return static_cast<std::uint64_t>(seen_); }

private:
  void find_starts(bool growing);
  void begin(StoredLog log);
  void add_status();
  void read(const StoredLog& log, LogTaker& taker);

  std::shared_ptr<LogStore> store_;
  std::string id_;              ///< of the newest log
  std::vector<StoredLog> logs_; ///< its chain, the first start first
  std::size_t read_ = 0;        ///< of those logs, all but the one that grows
  std::int64_t seen_ = 0;       ///< number of the last record
  ScannedRow row_;
};

} // namespace troupe
