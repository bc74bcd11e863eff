#include "apps/run_index/folder_scan.hpp"

#include "apps/folder/cluster_folder.hpp"
#include "base/failure.hpp"
#include "base/hash_text.hpp"

#include <algorithm>
#include <span>

namespace troupe {

namespace {

namespace fs = std::filesystem;

constexpr int deepest = 8;

bool has_file(const fs::path& folder, const char* name) {
  std::error_code error;
  return fs::is_regular_file(folder / name, error);
}

/// Whether a launched cluster has trained there; a damaged file counts as one.
bool is_cluster(const fs::path& folder) {
  if (!has_file(folder, "cluster.json"))
    return false;
  try {
    return is_launched(folder);
  } catch (const DataError&) {
    return false;
  }
}

class FolderScan {
public:
  void scan(const FoundFolder& folder, int depth) {
    auto below = folder;
    if (is_cluster(folder.path)) {
      found_.clusters.push_back(folder);
      below.cluster = folder.path;
    } else if (has_file(folder.path, "journal")) {
      found_.grids.push_back(folder);
      below.grid = folder.path;
    } else if (has_file(folder.path, "config.yaml") || has_file(folder.path, "log.jsonl")) {
      found_.runs.push_back(folder);
      return;
    }
    if (depth == deepest)
      return;
    std::error_code error;
    std::vector<fs::path> folders;
    for (const auto& entry : fs::directory_iterator(folder.path, error))
      if (entry.is_directory(error) && !entry.is_symlink(error))
        folders.push_back(entry.path());
    std::sort(folders.begin(), folders.end());
    for (auto& path : folders) {
      below.path = std::move(path);
      scan(below, depth + 1);
    }
  }

  FoundFolders found() && { return std::move(found_); }

private:
  FoundFolders found_;
};

void remove_repeated(std::vector<FoundFolder>& folders) {
  const auto by_path = [](const FoundFolder& a, const FoundFolder& b) { return a.path < b.path; };
  std::stable_sort(folders.begin(), folders.end(), by_path);
  const auto same = [](const FoundFolder& a, const FoundFolder& b) { return a.path == b.path; };
  folders.erase(std::unique(folders.begin(), folders.end(), same), folders.end());
}

} // namespace

FoundFolders find_run_folders(const std::vector<fs::path>& roots) {
  FolderScan scan;
  for (const auto& root : roots) {
    std::error_code error;
    const auto path = fs::canonical(root, error);
    if (!error && fs::is_directory(path, error))
      scan.scan({path, {}, {}}, 0);
  }
  auto found = std::move(scan).found();
  remove_repeated(found.runs);
  remove_repeated(found.grids);
  remove_repeated(found.clusters);
  return found;
}

std::string folder_id(const fs::path& path) {
  return hash_text(std::as_bytes(std::span{path.native()}));
}

} // namespace troupe
