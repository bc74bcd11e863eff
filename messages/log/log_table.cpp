#include "messages/log/log_table.hpp"

namespace troupe {

void LogTable::write(const Write& write) {
  const auto [found_row, is_new] = rows_.try_emplace(write.row);
  auto& row = found_row->second;
  size_ += is_new ? 1 : 0;
  row.row = write.row;
  row.epoch = write.epoch;
  row.seconds = write.seconds;
  for (const auto& [name, value] : write.records)
    size_ += row.records.insert_or_assign(name, value).second ? 1 : 0;
  if (auto found = expected_.find(write.row); found != expected_.end()) {
    found->second.erase(write.settles);
    if (found->second.empty())
      expected_.erase(found);
  }
  make_room(write.row);
}

/// The oldest rows of the newest row's worker go first; if it has no others, the first worker's.
void LogTable::make_room(const RowKey& newest) {
  while (size_ > limit_ && rows_.size() > 1) {
    auto oldest = rows_.lower_bound({newest.worker, 0});
    if (oldest->first == newest)
      oldest = rows_.begin();
    if (oldest->first == newest)
      ++oldest;
    size_ -= 1 + oldest->second.records.size();
    rows_.erase(oldest);
  }
}

Row LogTable::row(const RowKey& key) const {
  const auto found = rows_.find(key);
  return found == rows_.end() ? Row{key, 0, 0, {}} : found->second;
}

std::vector<Row> LogTable::rows(const Query& query) const {
  std::vector<Row> rows;
  for (auto i = rows_.lower_bound({query.worker, query.first});
       i != rows_.end() && i->first.worker == query.worker && i->first.batch <= query.last; ++i)
    rows.push_back(i->second);
  return rows;
}

void LogTable::write(const WriteStatus& status) {
  for (const auto& [name, value] : status.records)
    status_[status.worker][name] = value;
}

Records LogTable::status(WorkerId worker) const {
  const auto found = status_.find(worker);
  return found == status_.end() ? Records{} : found->second;
}

} // namespace troupe
