// Files and folders that only their owner may read, whatever the process's umask says. Symbolic
// links are not followed.
#pragma once

#include "base/failure.hpp"

#include <sys/types.h>

#include <filesystem>
#include <string>

namespace troupe {

/// Hides all files that this process creates from now on from other users, those of libraries too.
/// Call it before other threads start.
void keep_files_private();

/// The permissions that `keep_files_private` removes from the umask. Files that people asked for by
/// name, such as an export, still get them.
mode_t masked_permissions();

/// Opens a file of a run with mode 0600, and creates it if necessary.
/// @param flags for `open`; O_CREAT, O_NOFOLLOW and O_CLOEXEC are added
/// @returns a descriptor, or a negative number with errno set: ELOOP for a link
int open_private(const std::filesystem::path& path, int flags);

/// Why open_private failed; for a link, also what to do.
std::string reason_of_open(int error);

/// Creates a folder and its missing parents with mode 0700, and synchronises their names: without
/// that a crash would lose what is saved in them.
/// @throws IoError
void make_private_folder(const std::filesystem::path& folder);

/// Synchronises the names in a folder. A file system that does not support this counts as success.
/// @returns 0, or errno if the disk reports an error
int synchronise_folder(const std::filesystem::path& folder);

} // namespace troupe
