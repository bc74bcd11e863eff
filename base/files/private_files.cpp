#include "base/files/private_files.hpp"

#include "base/files/synchronising_pause.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <system_error>

namespace troupe {

namespace {

constexpr mode_t of_others = 077;
constexpr mode_t for_all = 0666;

std::atomic<mode_t> masked{0};

std::filesystem::path folder_of_name(const std::filesystem::path& path) {
  const auto whole = path.has_filename() ? path : path.parent_path();
  return whole.has_parent_path() ? whole.parent_path() : std::filesystem::path{"."};
}

/// @returns 0, or errno
int make_with_parents(const std::filesystem::path& folder) {
  std::error_code none;
  if (folder.empty() || std::filesystem::is_directory(folder, none))
    return 0;
  const auto above = folder_of_name(folder);
  if (above == folder)
    return ENOENT;
  if (const auto error = make_with_parents(above); error != 0)
    return error;
  if (mkdir(folder.c_str(), 0700) == 0)
    return SynchronisingPause::here() ? 0 : synchronise_folder(above);
  if (errno != EEXIST)
    return errno;
  // Another process may have created it meanwhile.
  return std::filesystem::is_directory(folder, none) ? 0 : ENOTDIR;
}

} // namespace

void keep_files_private() { masked = for_all & ~umask(of_others); }

mode_t masked_permissions() { return masked; }

int open_private(const std::filesystem::path& path, int flags) {
  return open(path.c_str(), flags | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
}

std::string reason_of_open(int error) {
  return error == ELOOP ? "it is a symbolic link, which is not followed; remove it"
                        : std::generic_category().message(error);
}

void make_private_folder(const std::filesystem::path& folder) {
  if (const auto error = make_with_parents(folder); error != 0)
    throw IoError("cannot make the folder '" + folder.string()
                  + "': " + std::generic_category().message(error));
}

int synchronise_folder(const std::filesystem::path& folder) {
  const auto descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0)
    return 0;
  const auto error = fsync(descriptor) == 0 ? 0 : errno;
  close(descriptor);
  return error == EINVAL || error == ENOTSUP ? 0 : error;
}

} // namespace troupe
