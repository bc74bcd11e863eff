#include "apps/dashboard/run_table.hpp"

#include <algorithm>
#include <fstream>

namespace troupe {

std::map<std::string, std::shared_ptr<RunTable::Held>> RunTable::held() const {
  const std::lock_guard lock{mutex_};
  return held_;
}

void RunTable::publish(const RunEntry& run, TableChanges& changes) {
  auto row = row_of_run(run);
  changes.changed.push_back(row->json);
  const std::lock_guard lock{mutex_};
  rows_[row->id] = std::move(row);
}

void RunTable::scan(TableChanges& changes) {
  auto found = find_run_folders(roots_);
  const auto before = held();
  std::map<std::string, std::shared_ptr<Held>> now;
  for (auto& folder : found.runs) {
    const auto id = folder_id(folder.path);
    const auto known = before.find(id);
    now[id]
      = known != before.end() ? known->second : std::make_shared<Held>(std::move(folder), texts_);
  }
  for (const auto& [id, run] : before)
    if (!now.contains(id))
      changes.gone.push_back(id);
  {
    const std::lock_guard lock{mutex_};
    held_ = now;
    grids_ = std::move(found.grids);
    clusters_ = std::move(found.clusters);
    for (const auto& id : changes.gone)
      rows_.erase(id);
  }
  for (const auto& [id, run] : now) {
    const std::lock_guard lock{run->mutex};
    if (run->entry.refresh_files() || !before.contains(id))
      publish(run->entry, changes);
  }
}

void RunTable::read_logs(bool all, const std::set<std::string>& watched, TableChanges& changes) {
  for (const auto& [id, run] : held()) {
    const std::lock_guard lock{run->mutex};
    auto& entry = run->entry;
    if (!all && !is_alive(entry.state()) && !watched.contains(id))
      continue;
    const auto rows = entry.refresh_log();
    if (entry.refresh_state() || rows)
      publish(entry, changes);
  }
}

RunRows RunTable::rows() const {
  const std::lock_guard lock{mutex_};
  RunRows rows;
  for (const auto& [id, row] : rows_)
    rows.push_back(row);
  return rows;
}

std::shared_ptr<const RunRow> RunTable::row(const std::string& id) const {
  const std::lock_guard lock{mutex_};
  const auto found = rows_.find(id);
  return found == rows_.end() ? nullptr : found->second;
}

std::vector<FoundFolder> RunTable::grids() const {
  const std::lock_guard lock{mutex_};
  return grids_;
}

std::vector<FoundFolder> RunTable::clusters() const {
  const std::lock_guard lock{mutex_};
  return clusters_;
}

bool RunTable::with(const std::string& id,
                    const std::function<void(const RunEntry& run)>& read) const {
  std::shared_ptr<Held> run;
  {
    const std::lock_guard lock{mutex_};
    const auto found = held_.find(id);
    if (found == held_.end())
      return false;
    run = found->second;
  }
  const std::lock_guard lock{run->mutex};
  read(run->entry);
  return true;
}

LogRows log_rows(const RunEntry& run, std::int64_t from, std::size_t most) {
  LogRows result;
  result.total = run.log().rows();
  const auto total = static_cast<std::int64_t>(result.total);
  result.from = static_cast<std::uint64_t>(
    std::clamp<std::int64_t>(from < 0 ? total + from : from, 0, total));
  result.next = result.from;
  auto [offset, number] = run.summary().before_row(result.from);
  std::ifstream file{run.log().path(), std::ios::binary};
  file.seekg(static_cast<std::streamoff>(offset));
  std::string line;
  ScannedRow row;
  while (result.rows.size() < most && number < result.total && std::getline(file, line)) {
    if (!read_row(line, row))
      continue;
    if (number >= result.from) {
      const auto counts = run.log().counts({row.worker, row.batch}, number);
      result.rows.push_back(log_row(row, number, counts));
      result.next = number + 1;
    }
    ++number;
  }
  return result;
}

} // namespace troupe
