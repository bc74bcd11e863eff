#include "apps/folder/log_source.hpp"

#include "actors/log/log_store.hpp"
#include "apps/folder/run_folder.hpp"
#include "base/exit_codes.hpp"
#include "base/text/nearest_name.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <tuple>

namespace troupe {

namespace {

constexpr auto log_file = "log.jsonl";

class FileSource : public LogSource {
public:
  FileSource(std::filesystem::path path, std::string name)
    : LogSource(std::move(name)),
      path_(std::move(path)) {}

  void poll(bool growing) override {
    std::ifstream file{path_, std::ios::binary};
    if (!file)
      throw IoError("cannot read '" + path_.string() + "'");
    file.seekg(static_cast<std::streamoff>(read_));
    std::string line;
    while (std::getline(file, line)) {
      const auto whole = !file.eof();
      if (!whole && growing)
        break;
      read_ += line.size() + (whole ? 1 : 0);
      ++lines_;
      if (log_.take(line) == RunLog::Taken::damaged && damaged_++ == 0)
        first_damaged_ = path_.string() + ":" + std::to_string(lines_);
    }
  }

  std::filesystem::path folder() const override { return path_.parent_path(); }

private:
  std::filesystem::path path_;
  std::uintmax_t read_ = 0; ///< bytes
  std::size_t lines_ = 0;
};

class StoreSource : public LogSource {
public:
  StoreSource(std::shared_ptr<LogStore> store, const std::string& id, std::string name)
    : LogSource(std::move(name)),
      store_(std::move(store)),
      pending_(store_->chain(id)) {}

  void poll(bool growing) override {
    try {
      read_on();
      for (auto& next : std::exchange(pending_, {})) {
        begin(std::move(next));
        read_on();
      }
      if (auto next = growing ? store_->continuation(id_) : std::nullopt) {
        begin(std::move(*next));
        read_on();
      }
    } catch (const StoreError& error) {
      throw IoError(error.what());
    }
  }

private:
  void begin(StoredLog next) {
    id_ = next.start.id;
    run_ = next.name;
    log_.begin({std::move(next.start), next.name, next.started});
  }

  void read_on() {
    if (id_.empty())
      return;
    const auto chain = store_->chain(id_); // before its last rows are read: it may end meanwhile
    LoggedRow row;
    for (auto& entry : store_->entries(id_, seen_)) {
      seen_ = entry.number;
      if (!(entry.row == row.row) || entry.time != row.time) {
        hand_over(row);
        row = {run_, entry.time, entry.row, entry.epoch, entry.seconds, {}};
      }
      row.records[entry.key] = std::move(entry.value);
    }
    hand_over(row);
    for (const auto& [worker, records] : store_->own_status(id_))
      log_.add(WriteStatus{worker, records});
    if (!chain.empty() && !chain.back().ended.empty())
      log_.end();
  }

  void hand_over(LoggedRow& row) {
    if (!row.records.empty())
      log_.add(std::exchange(row, {}));
  }

  std::shared_ptr<LogStore> store_;
  std::vector<StoredLog> pending_;
  std::string id_, run_; ///< of the log that is being read
  std::int64_t seen_ = 0;
};

/// Sorts "worker-2" before "worker-10".
std::tuple<std::string, std::size_t, std::string> order_of(const std::string& name) {
  const auto digits = name.find_last_not_of("0123456789") + 1;
  return {name.substr(0, digits), name.size(), name};
}

void find_in_folder(const std::string& run, bool several, LogSources& logs) {
  namespace fs = std::filesystem;
  const fs::path folder = path_of_run(run);
  for (const auto& file : log_files(folder)) {
    const auto parent = file.parent_path();
    const auto name
      = file == folder ? (several ? run : folder.filename().string())
        : parent == folder
          ? (several ? run : fs::canonical(folder).filename().string())
          : (several ? (folder / "").string() : std::string{}) + parent.filename().string();
    logs.push_back(std::make_unique<FileSource>(file, name));
  }
}

/// Like log_files, but empty if there is none.
std::vector<std::filesystem::path> find_log_files(const std::filesystem::path& run) {
  namespace fs = std::filesystem;
  if (fs::is_regular_file(run))
    return {run};
  std::vector<std::string> below;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(run, error))
    if (fs::exists(entry.path() / log_file))
      below.push_back(entry.path().filename().string());
  std::sort(below.begin(), below.end(),
            [](const std::string& a, const std::string& b) { return order_of(a) < order_of(b); });
  std::vector<fs::path> files;
  if (fs::exists(run / log_file))
    files.push_back(run / log_file);
  for (const auto& name : below)
    files.push_back(run / name / log_file);
  return files;
}

std::string no_log_in(const std::filesystem::path& run) {
  return "there is no " + std::string{log_file} + " in '" + run.string()
         + "', nor in a folder in it";
}

/// Of several runs, one that ended before it trained has no log and is left out with a line.
LogSources find_in_folders(const std::vector<std::string>& runs) {
  LogSources found;
  std::string left_out;
  for (const auto& run : runs) {
    const auto folder = path_of_run(run);
    if (runs.size() > 1 && std::filesystem::is_directory(folder) && find_log_files(folder).empty())
      left_out += "troupe: " + no_log_in(folder) + "; it is left out\n";
    else
      find_in_folder(run, runs.size() > 1, found);
  }
  std::cerr << left_out;
  if (found.empty())
    throw IoError("no run is left; give the folder of one that has started to train, or 'latest'");
  return found;
}

/// The newest log of that name, or the only one whose id starts with it.
const StoredLog& find_stored(const std::string& run, const std::vector<StoredLog>& logs,
                             const std::string& store) {
  if (means_latest(run) && !logs.empty())
    return logs.back();
  const auto named = std::find_if(logs.rbegin(), logs.rend(),
                                  [&](const StoredLog& log) { return log.name == run; });
  if (named != logs.rend())
    return *named;
  std::vector<const StoredLog*> matching;
  std::set<std::string> names;
  for (const auto& log : logs) {
    if (log.start.id.starts_with(run))
      matching.push_back(&log);
    names.insert(log.name);
  }
  if (matching.size() == 1)
    return *matching.front();
  if (matching.size() > 1)
    throw IoError("the ids of " + std::to_string(matching.size()) + " logs in '" + store
                  + "' begin with '" + run + "'; give more digits of " + matching.front()->start.id
                  + " or " + matching.back()->start.id);
  throw IoError("the store '" + store + "' has no run '" + run + "'"
                + suggestion(run, {names.begin(), names.end()},
                             "`troupe log --store " + store + "` lists the "
                               + std::to_string(logs.size()) + " that it has"));
}

} // namespace

std::string skipped_lines(std::size_t lines) {
  return std::to_string(lines) + (lines == 1 ? " line was" : " lines were")
         + " skipped, damaged or half written";
}

std::vector<std::filesystem::path> log_files(const std::filesystem::path& run) {
  auto files = find_log_files(run);
  for (const auto& file : files)
    if (std::filesystem::is_directory(file))
      throw IoError("'" + file.string()
                    + "' is a folder, where a run keeps its log as a file; move "
                    + "it away, or give another run");
  if (files.empty())
    throw IoError(no_log_in(run) + "; give the folder of a run, or 'latest'");
  return files;
}

LogSources find_logs(const std::vector<std::string>& runs, const std::string& store) {
  if (store.empty())
    return find_in_folders(runs);
  LogSources found;
  try {
    const auto opened = std::make_shared<LogStore>(store, LogStore::Access::read);
    const auto logs = opened->logs();
    std::map<std::string, std::size_t> named;
    for (const auto& run : runs)
      ++named[find_stored(run, logs, store).name];
    for (const auto& run : runs) {
      const auto& log = find_stored(run, logs, store);
      auto name = log.name;
      if (named[name] > 1)
        name += "@" + log.start.id.substr(0, 8);
      found.push_back(std::make_unique<StoreSource>(opened, log.start.id, std::move(name)));
    }
  } catch (const StoreError& error) {
    throw IoError(error.what());
  }
  return found;
}

} // namespace troupe
