#include "base/files/durable_file.hpp"

#include "base/files/private_files.hpp"
#include "base/files/synchronising_pause.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <system_error>
#include <utility>

namespace troupe {

namespace {

IoError cannot_write(const std::filesystem::path& path, int error) {
  return IoError("cannot write '" + path.string() + "': " + std::generic_category().message(error)
                 + (error == ENOENT ? "; make its folder first, or give another path" : ""));
}

// Renaming a file over a device, such as /dev/null, would remove the device for every program.
void check_replaceable(const std::filesystem::path& path) {
  std::error_code none;
  const auto status = std::filesystem::status(path, none);
  if (std::filesystem::is_directory(status))
    throw IoError("cannot write '" + path.string() + "': it is a folder; give the path of a file");
  if (std::filesystem::is_other(status))
    throw IoError("cannot write '" + path.string()
                  + "': it is a device, a pipe or a socket; give the path of a file");
}

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path{"."};
}

} // namespace

// In containers every process has number 1, so the name may belong to a process on another host or
// to a dead one on this host: then the next name is tried.
std::filesystem::path make_beside(const std::filesystem::path& path,
                                  const std::function<int(const char* name)>& create) {
  static std::atomic<unsigned> count{0};
  constexpr int most = 10'000;
  for (int i = 0; i < most; ++i) {
    auto fresh = path;
    fresh.replace_filename("." + path.filename().string() + "." + std::to_string(getpid()) + "."
                           + std::to_string(++count));
    if (create(fresh.c_str()) >= 0)
      return fresh;
    if (errno != EEXIST)
      break;
  }
  throw cannot_write(path, errno);
}

std::string_view final_name(std::string_view beside) {
  auto name = beside;
  for (int numbers = 0; numbers < 2; ++numbers) {
    const auto dot = name.find_last_not_of("0123456789");
    if (dot == std::string_view::npos || dot + 1 == name.size() || name[dot] != '.')
      return {};
    name.remove_suffix(name.size() - dot);
  }
  return name.starts_with('.') ? name.substr(1) : std::string_view{};
}

DurableFile::DurableFile(std::filesystem::path path, Readers readers) : path_(std::move(path)) {
  check_replaceable(path_);
  const auto all = readers == Readers::all;
  temporary_ = make_beside(path_, [this, all](const char* name) {
    return descriptor_ = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, all ? 0666 : 0600);
  });
  if (struct stat made{}; all && fstat(descriptor_, &made) == 0)
    fchmod(descriptor_,
           made.st_mode | masked_permissions()); // a file system without rights has none
}

DurableFile::~DurableFile() {
  if (descriptor_ >= 0)
    close(descriptor_);
  if (!temporary_.empty())
    unlink(temporary_.c_str());
}

void DurableFile::write(const void* data, std::size_t bytes) {
  const auto* from = static_cast<const char*>(data);
  while (bytes > 0) {
    const auto written = ::write(descriptor_, from, bytes);
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      throw cannot_write(path_, errno);
    from += written;
    bytes -= static_cast<std::size_t>(written);
  }
}

void DurableFile::write_at(std::size_t offset, const void* data, std::size_t bytes) {
  const auto* from = static_cast<const char*>(data);
  while (bytes > 0) {
    const auto written = pwrite(descriptor_, from, bytes, static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      throw cannot_write(path_, errno);
    from += written;
    offset += static_cast<std::size_t>(written);
    bytes -= static_cast<std::size_t>(written);
  }
}

void DurableFile::begin_synchronising(std::size_t offset, std::size_t bytes) {
  if (SynchronisingPause::here())
    return;
  // Only a hint: an error here is reported by synchronise.
  static_cast<void>(sync_file_range(descriptor_, static_cast<off_t>(offset),
                                    static_cast<off_t>(bytes), SYNC_FILE_RANGE_WRITE));
}

void DurableFile::synchronise() {
  if (!SynchronisingPause::here() && fsync(descriptor_) != 0)
    throw cannot_write(path_, errno);
  // A network file system reports some errors only here.
  if (close(std::exchange(descriptor_, -1)) != 0)
    throw cannot_write(path_, errno);
}

void DurableFile::commit() {
  if (descriptor_ >= 0)
    synchronise();
  if (rename(temporary_.c_str(), path_.c_str()) != 0)
    throw cannot_write(path_, errno);
  temporary_.clear();
  if (SynchronisingPause::here())
    return;
  if (const auto error = synchronise_folder(folder_of(path_)); error != 0)
    throw cannot_write(path_, error);
}

void write_file(const std::filesystem::path& path, std::string_view content, Readers readers) {
  DurableFile file{path, readers};
  file.write(content.data(), content.size());
  file.commit();
}

} // namespace troupe
