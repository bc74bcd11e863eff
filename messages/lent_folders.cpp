#include "troupe/messages/lent_folders.hpp"

#include "troupe/messages/durable_file.hpp"

#include <fstream>
#include <set>
#include <system_error>

namespace troupe {

namespace {

namespace fs = std::filesystem;

constexpr const char* arriving = ".arriving"; // a copy that is not whole yet

FileError folder_error(const std::string& what, const fs::path& path, const std::error_code& why) {
  return FileError("cannot " + what + " the folder '" + path.string() + "': " + why.message()
                   + "; may this program write there?");
}

/// @returns false where there is no such folder. @throws FileError
bool move_folder(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error == std::errc::no_such_file_or_directory)
    return false;
  if (error)
    throw folder_error("move", from, error);
  return true;
}

/// The folders of attempts that have failed are numbered from 1 without gaps.
void move_failed(const fs::path& from, const fs::path& to, const std::string& run) {
  for (auto attempt = 1;; ++attempt) {
    const auto name = run + ".failed-" + std::to_string(attempt);
    std::error_code ignored;
    if (!fs::exists(to / name, ignored) && !move_folder(from / name, to / name))
      return;
  }
}

/// What cannot be copied is left out: its writer has just replaced or removed it.
void copy_there(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::create_directories(to, error);
  if (error)
    throw folder_error("make", to, error);
  for (fs::directory_iterator entry{from, error}, end; !error && entry != end;
       entry.increment(error)) {
    std::error_code vanished;
    if (entry->is_directory(vanished))
      copy_there(entry->path(), to / entry->path().filename());
    else if (entry->is_regular_file(vanished))
      fs::copy_file(entry->path(), to / entry->path().filename(),
                    fs::copy_options::overwrite_existing, vanished);
  }
}

} // namespace

LentFolders::LentFolders(fs::path grid, std::string word)
  : grid_(std::move(grid)),
    word_(std::move(word)) {}

void LentFolders::open(const std::string& node) const {
  std::error_code error;
  fs::create_directories(grid_ / node, error);
  if (error)
    throw folder_error("make", grid_ / node, error);
  write_file(grid_ / node / word_file, word_ + "\n");
}

void LentFolders::lend(const std::string& run, const std::string& node) const {
  move_folder(grid_ / run, grid_ / node / run);
  move_failed(grid_, grid_ / node, run);
}

void LentFolders::bring_home(const std::string& run, const std::string& node) const {
  move_folder(grid_ / node / run, grid_ / run);
  move_failed(grid_ / node, grid_, run);
}

void LentFolders::rescue(const std::string& run, const std::string& node) const {
  const auto copy = grid_ / (run + arriving);
  std::error_code ignored; // of a copy that a kill has interrupted
  fs::remove_all(copy, ignored);
  if (fs::exists(grid_ / node / run, ignored) && !fs::exists(grid_ / run, ignored)) {
    copy_there(grid_ / node / run, copy);
    move_folder(copy, grid_ / run);
  }
  fs::remove_all(grid_ / node / run, ignored); // else it could be taken for the newest one later
  move_failed(grid_ / node, grid_, run);
}

void LentFolders::rescue_all() const {
  std::error_code error;
  for (fs::directory_iterator node{grid_ / nodes_folder, error}, end; !error && node != end;
       node.increment(error)) {
    std::set<std::string> runs;
    std::error_code ignored;
    for (fs::directory_iterator run{node->path(), ignored}; !ignored && run != end;
         run.increment(ignored))
      if (run->is_directory(ignored)) {
        const auto name = run->path().filename().string();
        runs.insert(name.substr(0, name.find(".failed-")));
      }
    for (const auto& run : runs)
      rescue(run, (fs::path{nodes_folder} / node->path().filename()).string());
  }
  close();
}

void LentFolders::close() const {
  std::error_code ignored; // a node that sleeps may wake up and write meanwhile
  fs::remove_all(grid_ / nodes_folder, ignored);
}

std::string read_word(const fs::path& folder) {
  std::ifstream file{folder / word_file};
  std::string word;
  std::getline(file, word);
  return word;
}

} // namespace troupe
