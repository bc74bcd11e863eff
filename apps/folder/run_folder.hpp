// Where a run keeps its files, and how they get there whole.
#pragma once

#include "base/exit_codes.hpp"

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>

namespace troupe {

struct RunFolderOptions {
  std::filesystem::path root = "runs";
  std::string problem; ///< e.g. "mnist"; this and the next two are made fit by `as_file_name`
  std::string model;   ///< e.g. "mlp"
  std::string tag;     ///< appended to the time where not empty
  std::chrono::system_clock::time_point started = std::chrono::system_clock::now();
};

/// Makes a folder and those above it, where they are not there yet. @throws IoError
void make_folder(const std::filesystem::path& folder);

/// Creates runs/<problem>/<model>/<YYYY-MM-DDTHH-MM-SSZ>[-tag], with its parents. The folder is
/// this call's alone: of several starts in one second, on one machine or several, the later get
/// "-2", "-3" and so on behind the name.
/// @returns its path, below `root` as given. @throws IoError where it cannot be created.
std::filesystem::path create_run_folder(const RunFolderOptions& options);

/// Creates <run>/test_<YYYY-MM-DDTHH-MM-SSZ>[_tag], alone as above.
/// @returns its path. @throws IoError where it cannot be created.
std::filesystem::path create_test_folder(const std::filesystem::path& run, const std::string& tag,
                                         std::chrono::system_clock::time_point started
                                         = std::chrono::system_clock::now());

/// Makes `root`/latest a symbolic link to `folder`, at once: there is no moment without a link, or
/// with half of one. The link is relative where the folder is below `root`, so that both can move.
/// @throws FileError, IoError where it cannot, e.g. on a file system without links; runs can do
/// without it.
void point_latest(const std::filesystem::path& root, const std::filesystem::path& folder);

/// The same, and where it cannot, while the link means another run, that misleads: people are
/// warned.
void point_latest_if_possible(const std::filesystem::path& root,
                              const std::filesystem::path& folder);

/// What people call the newest run: "latest", "last".
bool means_latest(std::string_view run);

/// The folder or file that people mean by a path or one of those words.
std::filesystem::path path_of_run(const std::string& run);

/// `name` as one part of a path: letters, digits, `.`, `_` and `-` stay, other characters become
/// one `-`; no leading dots, at most 100 characters; "unnamed" where nothing is left.
std::string as_file_name(std::string_view name);

} // namespace troupe
