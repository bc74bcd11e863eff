// Selects the files that a problem reads from a folder.
#pragma once

#include <string>
#include <vector>

namespace troupe {

/// Sorted paths of the entries to read, and of the other entries that are not hidden.
struct FolderFiles {
  std::vector<std::string> taken, skipped;
};

/// The files with one of the suffixes, in upper or lower case.
/// @throws IoError if the folder cannot be read
FolderFiles files_in(const std::string& folder, const std::vector<std::string>& suffixes);

/// The folders in a folder. @throws IoError if it cannot be read
FolderFiles folders_in(const std::string& folder);

/// "2 entries are skipped, because only *.png are read: a.jpg, b.gif"
std::string skipped_text(const std::vector<std::string>& paths, const std::string& read);

/// "a, b, c and 4 more"
std::string first_of(const std::vector<std::string>& names);

} // namespace troupe
