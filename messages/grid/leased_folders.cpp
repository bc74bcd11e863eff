#include "messages/grid/leased_folders.hpp"

#include "base/files/copied_folder.hpp"
#include "base/files/durable_file.hpp"
#include "base/files/private_files.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <set>
#include <string_view>
#include <system_error>
#include <vector>

namespace troupe {

namespace {

namespace fs = std::filesystem;

constexpr const char* arriving = ".arriving"; // an incomplete copy
constexpr const char* failed = ".failed-";    // followed by the number of an attempt
constexpr const char* leased_mark = ".lent";  // follows the name of a run

IoError folder_error(const std::string& what, const fs::path& path, const std::error_code& why) {
  return IoError("cannot " + what + " the folder '" + path.string() + "': " + why.message()
                 + "; may this program read and write there?");
}

/// @returns false if there is no such folder. @throws IoError
bool move_folder(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error == std::errc::no_such_file_or_directory)
    return false;
  if (error)
    throw folder_error("move", from, error);
  return true;
}

/// Failed attempts have folders that are numbered from 1 without gaps.
void move_failed(const fs::path& from, const fs::path& to, const std::string& run) {
  for (std::uint32_t attempt = 1;; ++attempt) {
    const auto name = failed_attempt(run, attempt);
    std::error_code ignored;
    if (!fs::exists(to / name, ignored) && !move_folder(from / name, to / name))
      return;
  }
}

/// Including its content, if it is a folder. @throws IoError
void remove_all_of(const fs::path& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (error)
    throw folder_error("remove", path, error);
}

/// @throws IoError if it cannot be determined: an unreadable folder is not an absent one.
bool entry_exists(const fs::path& path) {
  std::error_code error;
  const auto type = fs::symlink_status(path, error).type();
  if (type == fs::file_type::none)
    throw IoError("cannot read '" + path.string() + "': " + error.message()
                  + "; may this program read there?");
  return type != fs::file_type::not_found;
}

/// Names of the entries of a type in a folder; none if the folder does not exist.
std::set<std::string> names_in(const fs::path& folder, fs::file_type type) {
  std::set<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry{folder, error}, end; !error && entry != end;
       entry.increment(error)) {
    std::error_code vanished;
    if (entry->status(vanished).type() == type)
      names.insert(entry->path().filename().string());
  }
  if (error && error != std::errc::no_such_file_or_directory)
    throw folder_error("read", folder, error);
  return names;
}

std::set<std::string> subfolders_of(const fs::path& folder) {
  return names_in(folder, fs::file_type::directory);
}

/// The file in a node's folder that marks a run as leased.
fs::path mark_in(const fs::path& node, const std::string& run) {
  return node / (run + leased_mark);
}

/// Names of the runs that are marked as leased in a node's folder.
std::set<std::string> marked_runs(const fs::path& folder) {
  std::set<std::string> runs;
  for (const auto& name : names_in(folder, fs::file_type::regular))
    if (name.ends_with(leased_mark))
      runs.insert(name.substr(0, name.size() - std::string_view{leased_mark}.size()));
  return runs;
}

/// The run to which a folder belongs, which may be one of its failed attempts.
std::string run_of(const std::string& folder) { return folder.substr(0, folder.find(failed)); }

} // namespace

std::string failed_attempt(const std::string& run, std::uint32_t attempt) {
  return run + failed + std::to_string(attempt);
}

LeasedFolders::LeasedFolders(fs::path grid, std::string probe)
  : grid_(std::move(grid)),
    probe_(std::move(probe)) {}

void LeasedFolders::open(const std::string& node) const {
  make_private_folder(grid_ / node);
  write_file(grid_ / node / probe_file, probe_ + "\n");
}

void LeasedFolders::lease(const std::string& run, const std::string& node) const {
  write_file(mark_in(grid_ / node, run), "");
  move_folder(grid_ / run, grid_ / node / run);
  move_failed(grid_, grid_ / node, run);
}

void LeasedFolders::return_run(const std::string& run, const std::string& node) const {
  move_folder(grid_ / node / run, grid_ / run);
  move_failed(grid_ / node, grid_, run);
  remove_all_of(mark_in(grid_ / node, run));
}

void LeasedFolders::rescue(const std::string& run, const std::string& node) const {
  const auto leased = grid_ / node / run, home = grid_ / run, copy = grid_ / (run + arriving);
  remove_all_of(copy); // left by a copy that was killed
  if (entry_exists(leased) && !entry_exists(home)) {
    try {
      copy_folder(leased, copy);
      if (!move_folder(copy, home))
        throw folder_error("move", copy, {ENOENT, std::generic_category()});
    } catch (...) {
      std::error_code ignored;
      fs::remove_all(copy, ignored);
      throw;
    }
  }
  std::error_code ignored;
  fs::remove_all(leased, ignored);
  move_failed(grid_ / node, grid_, run);
  remove_all_of(mark_in(grid_ / node, run));
}

std::string LeasedFolders::set_aside(const std::string& run, const std::string& node) const {
  move_failed(grid_ / node, grid_, run);
  for (std::uint32_t attempt = 1;; ++attempt) {
    const auto name = failed_attempt(run, attempt);
    if (entry_exists(grid_ / name))
      continue;
    move_folder(grid_ / node / run, grid_ / name);
    remove_all_of(mark_in(grid_ / node, run));
    return name;
  }
}

void LeasedFolders::rescue_all() const {
  std::vector<std::string> nodes;
  for (const auto& name : subfolders_of(grid_ / nodes_folder))
    nodes.push_back((fs::path{nodes_folder} / name).string());
  std::set<std::string> leased;
  for (const auto& node : nodes)
    for (const auto& run : marked_runs(grid_ / node)) {
      rescue(run, node);
      leased.insert(run);
    }
  for (const auto& node : nodes)
    for (const auto& folder : subfolders_of(grid_ / node))
      if (const auto run = run_of(folder); leased.contains(run) || entry_exists(grid_ / run))
        remove_all_of(grid_ / node / folder);
      else // from a coordinator that set no marks
        rescue(run, node);
  close();
}

void LeasedFolders::close() const {
  std::error_code ignored; // a sleeping node may wake up and write meanwhile
  for (const auto& node : subfolders_of(grid_ / nodes_folder)) {
    const auto runs = subfolders_of(grid_ / nodes_folder / node);
    if (std::all_of(runs.begin(), runs.end(),
                    [&](const auto& run) { return entry_exists(grid_ / run); }))
      fs::remove_all(grid_ / nodes_folder / node, ignored);
  }
  fs::remove(grid_ / nodes_folder, ignored); // fails if it is not empty
}

std::string read_probe(const fs::path& folder) {
  std::ifstream file{folder / probe_file};
  std::string probe;
  std::getline(file, probe);
  return probe;
}

} // namespace troupe
