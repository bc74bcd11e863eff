#include "apps/folder/stored_log_reader.hpp"

#include <utility>

namespace troupe {

void StoredLogReader::poll(LogTaker& taker, bool growing, std::uint64_t) {
  find_starts(growing);
  if (counted_.voids_taken()) {
    if (taker.restart()) {
      counted_.begin();
      rows_ = 0;
      read_ = 0;
      seen_ = 0;
    }
    counted_.forget_taken();
  }
  for (auto log = read_; log < logs_.size(); ++log) {
    if (log >= counted_.passed())
      counted_.pass_start(rows_);
    read(logs_[log], taker);
  }
  read_ = logs_.empty() ? 0 : logs_.size() - 1;
}

void StoredLogReader::find_starts(bool growing) {
  if (logs_.empty())
    for (auto& log : store_->chain(id_))
      begin(std::move(log));
  while (auto next = growing ? store_->continuation(id_) : std::nullopt)
    begin(std::move(*next));
  add_status();
  if (const auto chain = store_->chain(id_); !chain.empty() && !chain.back().ended.empty())
    head_.end();
}

void StoredLogReader::begin(StoredLog log) {
  id_ = log.start.id;
  head_.begin({log.start, log.name, log.started});
  add_status();
  counted_.expect(log.start);
  if (!log.start.resumed_at.empty())
    for (const auto& entry : store_->entries(id_)) {
      const LoggedRow row{"", "", entry.row, 0, 0, {{entry.key, entry.value}}};
      scan(row, row_);
      counted_.note_replacing(row_);
    }
  logs_.push_back(std::move(log));
}

void StoredLogReader::add_status() {
  for (const auto& [worker, records] : store_->own_status(id_))
    head_.add(WriteStatus{worker, records});
}

void StoredLogReader::read(const StoredLog& log, LogTaker& taker) {
  LoggedRow row;
  const auto hand_over = [&] {
    if (row.records.empty())
      return;
    scan(row, row_);
    hand_on(row_, 0, taker);
    row.records.clear();
  };
  for (auto& entry : store_->entries(log.start.id, seen_)) {
    seen_ = entry.number;
    if (!(entry.row == row.row) || entry.time != row.time) {
      hand_over();
      row = {log.name, entry.time, entry.row, entry.epoch, entry.seconds, {}};
    }
    row.records[entry.key] = std::move(entry.value);
  }
  hand_over();
}

} // namespace troupe
