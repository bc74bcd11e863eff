// The folders of runs and of tests.
#pragma once

#include "base/failure.hpp"

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>

namespace troupe {

struct RunFolderOptions {
  std::filesystem::path root = "runs";
  std::string problem; ///< e.g. "mnist"; this and the next two are passed through `as_file_name`
  std::string model;   ///< e.g. "mlp"
  std::string tag;     ///< appended to the time if not empty
  std::chrono::system_clock::time_point started = std::chrono::system_clock::now();
};

/// Creates runs/<problem>/<model>/<YYYY-MM-DDTHH-MM-SSZ>[-tag], with its parents. The folder is
/// exclusive to this call: if several runs start in one second, on one or more machines, the later
/// ones get "-2", "-3" and so on appended.
/// @returns its path, below `root` as given. @throws IoError if it cannot be created.
std::filesystem::path create_run_folder(const RunFolderOptions& options);

/// Creates <run>/test_<YYYY-MM-DDTHH-MM-SSZ>[_tag], exclusively as above.
/// @returns its path. @throws IoError if it cannot be created.
std::filesystem::path create_test_folder(const std::filesystem::path& run, const std::string& tag,
                                         std::chrono::system_clock::time_point started
                                         = std::chrono::system_clock::now());

/// Makes `root`/latest a symbolic link to `folder`, atomically: at no moment is the link missing or
/// partial. The link is relative if the folder is below `root`, so that both can be moved.
/// @throws IoError, IoError if it cannot, e.g. on a file system without links; runs work without
/// it.
void point_latest(const std::filesystem::path& root, const std::filesystem::path& folder);

/// The same, but if it fails while the link points to another run, which would mislead, it prints a
/// warning.
void point_latest_if_possible(const std::filesystem::path& root,
                              const std::filesystem::path& folder);

/// Whether the name means the newest run: "latest" or "last".
bool means_latest(std::string_view run);

/// The folder or file for a path or one of those names.
std::filesystem::path path_of_run(const std::string& run);

/// The path for such a name, which exists; of a launched run its main worker's folder, which has
/// what the workers share in the end.
/// @throws IoError if there is none
std::filesystem::path existing_path(const std::string& run);

/// The folder of a run's files. @throws IoError if there is none.
std::filesystem::path folder_of_run(const std::string& run);

/// The config.yaml beside a run's parameters, or *.yaml itself. @throws IoError if there is none.
std::filesystem::path configuration_of_run(const std::string& run);

/// `name` as one path component: letters, digits, `.`, `_` and `-` stay, other characters become
/// one `-`; no leading dots, at most 100 characters; "unnamed" if nothing is left.
std::string as_file_name(std::string_view name);

} // namespace troupe
