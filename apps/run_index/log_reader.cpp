#include "apps/run_index/log_reader.hpp"

#include <algorithm>

namespace troupe {

namespace {

class DiscardedRows : public LogTaker {
public:
  void restart() override {}
  void take(const ScannedRow&, std::uint64_t, std::uint64_t, bool) override {}
};

} // namespace

ScannedRow scanned(const LoggedRow& row) {
  ScannedRow result{row.row.worker, row.row.batch, row.epoch, row.seconds, row.time, {}, {}};
  for (const auto& [name, value] : row.records)
    if (const auto* text = std::get_if<std::string>(&value))
      result.texts.emplace_back(name, *text);
    else
      result.numbers.emplace_back(name, number_of(value));
  return result;
}

void LogReader::poll(LogTaker& taker) {
  DiscardedRows discarded;
  const auto take = [&](std::string_view line, std::uint64_t offset) {
    // After a start that voids rows, only further starts matter until all is read again.
    take_line(line, offset, again_ ? static_cast<LogTaker&>(discarded) : taker);
  };
  if (!file_.read(take)) {
    starts_.clear();
    begin_anew();
    taker.restart();
    file_.read(take);
  }
  if (!again_)
    return;
  begin_anew();
  known_ = starts_.size();
  file_.rewind();
  taker.restart();
  file_.read(take);
}

void LogReader::begin_anew() {
  again_ = false;
  head_ = {};
  rows_ = damaged_ = 0;
  furthest_.clear();
  known_ = 0;
}

void LogReader::take_line(std::string_view line, std::uint64_t offset, LogTaker& taker) {
  const auto take = [&](const ScannedRow& row) {
    const RowKey key{row.worker, row.batch};
    auto& furthest = furthest_[key.worker];
    furthest = std::max(furthest, key.batch);
    taker.take(row, rows_, offset, counts(key, rows_));
    ++rows_;
  };
  if (scan_row(line, row_))
    return take(row_);
  if (!is_row(line))
    damaged_ += take_other(line) ? 0 : 1;
  else if (const auto row = logged_row(line))
    take(scanned(*row));
  else
    ++damaged_;
}

bool LogReader::take_other(std::string_view line) {
  const auto before = head_.starts().size();
  if (head_.take(line) == RunLog::Taken::damaged)
    return false;
  if (head_.starts().size() == before || before < known_)
    return true;
  starts_.push_back({rows_, head_.starts().back().start});
  again_ = again_ || voids_rows(starts_.back().start);
  return true;
}

bool LogReader::voids_rows(const LogStart& start) const {
  return std::any_of(furthest_.begin(), furthest_.end(), [&](const auto& one) {
    return superseded(start, {one.first, one.second});
  });
}

bool LogReader::counts(const RowKey& row, std::uint64_t number) const {
  return std::none_of(starts_.begin(), starts_.end(), [&](const Start& start) {
    return number < start.row && superseded(start.start, row);
  });
}

} // namespace troupe
