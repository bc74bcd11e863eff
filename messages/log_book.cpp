#include "troupe/messages/log_book.hpp"

namespace troupe {

void LogBook::write(const Write& write) {
  auto& row = rows_[write.row];
  row.row = write.row;
  row.epoch = write.epoch;
  row.seconds = write.seconds;
  for (const auto& [name, value] : write.records)
    row.records[name] = value;
  if (auto found = expected_.find(write.row); found != expected_.end()) {
    found->second.erase(write.settles);
    if (found->second.empty())
      expected_.erase(found);
  }
  if (rows_.size() > limit_) {
    auto oldest = rows_.lower_bound({write.row.worker, 0});
    if (oldest->first.batch == write.row.batch)
      oldest = rows_.begin();
    rows_.erase(oldest);
  }
}

Row LogBook::row(const RowKey& key) const {
  const auto found = rows_.find(key);
  return found == rows_.end() ? Row{key, 0, 0, {}} : found->second;
}

std::vector<Row> LogBook::rows(const Query& query) const {
  std::vector<Row> rows;
  for (auto i = rows_.lower_bound({query.worker, query.first});
       i != rows_.end() && i->first.worker == query.worker && i->first.batch <= query.last; ++i)
    rows.push_back(i->second);
  return rows;
}

void LogBook::write(const WriteStatus& status) {
  for (const auto& [name, value] : status.records)
    status_[status.worker][name] = value;
}

Records LogBook::status(WorkerId worker) const {
  const auto found = status_.find(worker);
  return found == status_.end() ? Records{} : found->second;
}

} // namespace troupe
