#pragma once

#include "messages/log/log.hpp"

#include <map>
#include <set>

namespace troupe {

/// The rows of a run's log, and which announced records are still missing.
class LogTable {
public:
  /// @param records kept at most, where each row counts as one more; the oldest rows are dropped
  /// first (a run's file keeps them all), but never the newest
  explicit LogTable(std::size_t records = 500'000) : limit_(records) {}

  void write(const Write& write);
  void expect(const Expect& expect) { expected_[expect.row].insert(expect.name); }
  /// False while an announced write to the row is missing.
  bool settled(const RowKey& row) const { return !expected_.count(row); }

  Row row(const RowKey& key) const;
  std::vector<Row> rows(const Query& query) const;

  void write(const WriteStatus& status);
  Records status(WorkerId worker) const;

private:
  void make_room(const RowKey& newest);

  std::size_t limit_;
  std::size_t size_ = 0; ///< records and rows
  std::map<RowKey, Row> rows_;
  std::map<RowKey, std::set<std::string>> expected_;
  std::map<WorkerId, Records> status_;
};

} // namespace troupe
