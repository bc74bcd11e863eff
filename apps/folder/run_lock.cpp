#include "apps/folder/run_lock.hpp"

#include "base/failure.hpp"
#include "base/files/durable_file.hpp"
#include "base/host_name.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <fstream>
#include <iostream>
#include <system_error>
#include <thread>

namespace troupe {

namespace {

constexpr const char* lock_file = ".lock";

std::string this_process() {
  const auto host = host_name();
  return "process " + std::to_string(getpid()) + (host.empty() ? "" : " on " + host);
}

IoError taken(const std::filesystem::path& folder) {
  std::ifstream file{folder / lock_file};
  std::string who;
  std::getline(file, who); // empty if the process has only just started
  return IoError((who.empty() ? "another process" : who) + " trains in '" + folder.string()
                 + "'; wait until it has ended, or stop it, or train in a copy of the folder");
}

/// Retries for a moment, since a killed process takes that long to disappear. If it fails, `errno`
/// says why.
bool locked(int descriptor) {
  using namespace std::chrono_literals;
  const auto until = std::chrono::steady_clock::now() + 1s;
  while (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK || std::chrono::steady_clock::now() > until)
      return false;
    std::this_thread::sleep_for(50ms);
  }
  return true;
}

/// Only states are large; other unfinished files may belong to processes that read the run.
bool is_unfinished_state(const std::filesystem::path& path) {
  return final_name(path.filename().native()).ends_with(".bin");
}

void clear_away_unfinished(const std::filesystem::path& folder) {
  std::error_code ignored; // leftovers do no harm
  for (const auto& place : {folder, folder / "models"})
    for (const auto& entry : std::filesystem::directory_iterator(place, ignored))
      if (is_unfinished_state(entry.path()))
        std::filesystem::remove(entry.path(), ignored);
}

} // namespace

RunLock::~RunLock() {
  if (descriptor_ >= 0)
    close(descriptor_);
}

void RunLock::take(const std::filesystem::path& folder) {
  std::error_code none;
  if (descriptor_ >= 0 || !std::filesystem::is_directory(folder, none))
    return;
  const auto file = folder / lock_file;
  descriptor_ = open(file.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (descriptor_ < 0) // the file belongs to another user
    descriptor_ = open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor_ < 0 && errno == ELOOP) // the link's target would be overwritten
    throw IoError("'" + file.string()
                  + "' is a link; remove it, so that this folder has a lock of its own");
  if (descriptor_ < 0) // a folder that is not writable is reported at the first file
    return;
  if (!locked(descriptor_)) {
    if (errno == EWOULDBLOCK)
      throw taken(folder);
    std::cerr << "warning: the file system of '" << folder.string() << "' has no locks ("
              << std::generic_category().message(errno)
              << "); make sure that no other process trains there\n";
    return;
  }
  // Through this very descriptor: closing another one would release the lock on NFS.
  const auto line = this_process() + "\n";
  const auto written
    = ftruncate(descriptor_, 0) == 0 && pwrite(descriptor_, line.data(), line.size(), 0) > 0;
  static_cast<void>(written); // otherwise a refused process cannot name this one
  clear_away_unfinished(folder);
}

bool is_locked(const std::filesystem::path& folder) {
  const auto file
    = open((folder / lock_file).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0)
    return false;
  const auto locked = flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  close(file);
  return locked;
}

} // namespace troupe
