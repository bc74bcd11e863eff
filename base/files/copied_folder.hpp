#pragma once

#include <filesystem>

namespace troupe {

/// Copies a folder, with those in it, whose writer may still be at work, on another machine, too.
/// What vanishes meanwhile is left out; of files that take each other's place the copy has one, and
/// whole. Links are followed; devices, pipes and sockets are left out. It is on the disk then.
/// @param to is made
/// @throws FileError where anything else cannot be copied: which file, why, and the cure. The copy
///         is then what had come of it.
void copy_folder(const std::filesystem::path& from, const std::filesystem::path& to);

} // namespace troupe
