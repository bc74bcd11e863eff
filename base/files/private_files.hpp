// Files and folders that are for their owner alone, whatever the process's mask lets through, and
// that are where their names say: no link is followed.
#pragma once

#include "base/files/data_error.hpp"

#include <sys/types.h>

#include <filesystem>
#include <string>

namespace troupe {

/// Keeps what this process makes from here on from other users, also what libraries write. Call it
/// before other threads start.
void keep_files_private();

/// What `keep_files_private` takes away, and a file has all the same that people have asked for by
/// name, such as an export.
mode_t rights_kept_back();

/// Opens a file of a run with 0600, and makes it where it is not there.
/// @param flags as of `open`; O_CREAT, O_NOFOLLOW and O_CLOEXEC are added
/// @returns a descriptor, or a negative number, and errno says why: ELOOP for a link
int open_private(const std::filesystem::path& path, int flags);

/// Why open_private failed; of a link, what to do.
std::string reason_of_open(int error);

/// Makes a folder and those above it that are not there, with 0700, and has the disk keep their
/// names: what is saved in them would be lost with them.
/// @throws FileError
void make_private_folder(const std::filesystem::path& folder);

/// Has the disk keep the names in a folder. A file system that cannot has no more to give.
/// @returns 0, or errno where the disk refuses
int synchronise_folder(const std::filesystem::path& folder);

} // namespace troupe
