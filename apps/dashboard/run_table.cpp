#include "apps/dashboard/run_table.hpp"

#include "base/failure.hpp"

#include <algorithm>
#include <fstream>

namespace troupe {

RunTable::RunTable(std::vector<std::filesystem::path> roots,
                   const std::vector<std::filesystem::path>& stores)
  : roots_(std::move(roots)) {
  for (const auto& store : stores)
    stores_.emplace(store, nullptr);
}

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

/// A run that is in a folder, too, is shown from there: which are is known once their logs are read.
void RunTable::find_stored(std::vector<FoundFolder>& runs) {
  std::set<std::string> known;
  std::map<std::filesystem::path, std::vector<FoundFolder>> before;
  for (const auto& [id, run] : held()) {
    const std::lock_guard lock{run->mutex};
    const auto& entry = run->entry;
    if (entry.found().is_stored())
      before[entry.found().store].push_back(entry.found());
    else if (!entry.indexed())
      return;
    else
      for (const auto& start : entry.log().head().starts())
        known.insert(start.start.id);
  }
  for (auto& [path, store] : stores_)
    try {
      if (store == nullptr)
        store = std::make_shared<LogStore>(path.string(), LogStore::Access::read);
      const auto found = find_stored_runs(*store, path, known);
      runs.insert(runs.end(), found.begin(), found.end());
    } catch (const StoreError&) { // it is away, or locked: its runs stay as they were
      runs.insert(runs.end(), before[path].begin(), before[path].end());
    }
}

void RunTable::scan(TableChanges& changes) {
  auto found = find_run_folders(roots_);
  find_stored(found.runs);
  const auto before = held();
  std::map<std::string, std::shared_ptr<Held>> now;
  for (auto& folder : found.runs) {
    const auto id = folder_id(folder.path);
    const auto known = before.find(id);
    now[id] = known != before.end()
                ? known->second
                : std::make_shared<Held>(
                  folder, folder.is_stored() ? stores_.at(folder.store) : nullptr, texts_);
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
    auto rows = false;
    try {
      rows = entry.refresh_log();
    } catch (const IoError&) { // the store is away, or locked: the next call reads on
    }
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

namespace {

/// Rows that are asked for, as JSON.
class AskedRows {
public:
  AskedRows(const LogSource& log, std::int64_t from, std::size_t most) : log_(log), most_(most) {
    result_.total = log.rows();
    const auto total = static_cast<std::int64_t>(result_.total);
    result_.from = static_cast<std::uint64_t>(
      std::clamp<std::int64_t>(from < 0 ? total + from : from, 0, total));
    result_.next = result_.from;
  }

  bool all(std::uint64_t number) const {
    return result_.rows.size() >= most_ || number >= result_.total;
  }
  void take(const ScannedRow& row, std::uint64_t number) {
    if (number < result_.from || all(number))
      return;
    result_.rows.push_back(log_row(row, number, log_.counts({row.worker, row.batch}, number)));
    result_.next = number + 1;
  }
  std::uint64_t from() const { return result_.from; }
  LogRows result() && { return std::move(result_); }

private:
  const LogSource& log_;
  std::size_t most_;
  LogRows result_;
};

void read_from_file(const RunEntry& run, AskedRows& asked) {
  auto [offset, number] = run.summary().before_row(asked.from());
  std::ifstream file{run.folder() / "log.jsonl", std::ios::binary};
  file.seekg(static_cast<std::streamoff>(offset));
  std::string line;
  ScannedRow row;
  while (!asked.all(number) && std::getline(file, line))
    if (read_row(line, row))
      asked.take(row, number++);
}

} // namespace

LogRows log_rows(const RunEntry& run, std::int64_t from, std::size_t most) {
  AskedRows asked{run.log(), from, most};
  if (run.found().is_stored()) {
    RowVisitor rows{
      [&](const ScannedRow& row, std::uint64_t number, bool) { asked.take(row, number); }};
    opened_log(run.found())->poll(rows);
  } else {
    read_from_file(run, asked);
  }
  return std::move(asked).result();
}

} // namespace troupe
