#include "apps/folder/find_logs.hpp"

#include "apps/folder/log_reader.hpp"
#include "apps/folder/run_folder.hpp"
#include "apps/folder/stored_log_reader.hpp"
#include "base/failure.hpp"
#include "base/text/nearest_name.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>
#include <tuple>

namespace troupe {

namespace {

constexpr auto log_file = "log.jsonl";

/// Sorts "worker-2" before "worker-10".
std::tuple<std::string, std::size_t, std::string> order_of(const std::string& name) {
  const auto digits = name.find_last_not_of("0123456789") + 1;
  return {name.substr(0, digits), name.size(), name};
}

void find_in_folder(const std::string& run, bool several, FoundLogs& logs) {
  namespace fs = std::filesystem;
  const fs::path folder = path_of_run(run);
  for (const auto& file : log_files(folder)) {
    const auto parent = file.parent_path();
    const auto name
      = file == folder ? (several ? run : folder.filename().string())
        : parent == folder
          ? (several ? run : fs::canonical(folder).filename().string())
          : (several ? (folder / "").string() : std::string{}) + parent.filename().string();
    logs.push_back({name, std::make_unique<LogReader>(file)});
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
FoundLogs find_in_folders(const std::vector<std::string>& runs) {
  FoundLogs found;
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
    else if (access(file.c_str(), R_OK) != 0)
      throw IoError("cannot read '" + file.string() + "'");
  if (files.empty())
    throw IoError(no_log_in(run) + "; give the folder of a run, or 'latest'");
  return files;
}

FoundLogs find_logs(const std::vector<std::string>& runs, const std::string& store) {
  if (store.empty())
    return find_in_folders(runs);
  FoundLogs found;
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
    found.push_back({std::move(name), std::make_unique<StoredLogReader>(opened, log.start.id)});
  }
  return found;
}

} // namespace troupe
