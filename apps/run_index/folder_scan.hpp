// Finds runs, grids and clusters below folders.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace troupe {

struct FoundFolder {
  std::filesystem::path path; ///< absolute, without links
  std::filesystem::path grid,
    cluster; ///< the folder of the grid or cluster that it is in; "": none
  /// Of a run that is only in a store: the store, and the id of its newest log.
  std::filesystem::path store = {};
  std::string log = {};

  bool is_stored() const { return !store.empty(); }
};

struct FoundFolders {
  std::vector<FoundFolder> runs, grids, clusters;
};

/// Searches the folders to a depth of eight, without following links. A folder that cannot be read
/// is left out.
FoundFolders find_run_folders(const std::vector<std::filesystem::path>& roots);

/// The name of a folder in addresses: 16 hexadecimal digits, the same for the same path.
std::string folder_id(const std::filesystem::path& path);

} // namespace troupe
