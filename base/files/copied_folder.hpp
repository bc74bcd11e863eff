#pragma once

#include <filesystem>

namespace troupe {

/// Copies a folder and its subfolders while their writer, perhaps on another machine, may still be
/// at work. Files that vanish during the copy are left out; of a file that is replaced, the copy
/// has one complete version. Links are followed; devices, pipes and sockets are left out. The copy
/// is synchronised to the disk.
/// @param to is created
/// @throws IoError if anything else cannot be copied: which file, why, and the cure. An
///         incomplete copy then remains.
void copy_folder(const std::filesystem::path& from, const std::filesystem::path& to);

} // namespace troupe
