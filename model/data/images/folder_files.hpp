// What a problem reads of a folder, and what it passes over.
#pragma once

#include <string>
#include <vector>

namespace troupe {

/// Paths of what a problem reads, by name, and the others that are not hidden.
struct FolderFiles {
  std::vector<std::string> taken, passed_over;
};

/// The files whose names end as one of `suffixes` does, capitals or not.
/// @throws FileError where the folder cannot be read.
FolderFiles files_in(const std::string& folder, const std::vector<std::string>& suffixes);

/// The folders in a folder. @throws FileError where it cannot be read.
FolderFiles folders_in(const std::string& folder);

/// "2 entries are passed over, since only *.png are read: a.jpg, b.gif"
std::string passed_over_text(const std::vector<std::string>& paths, const std::string& read);

/// "a, b, c and 4 more"
std::string first_of(const std::vector<std::string>& names);

} // namespace troupe
