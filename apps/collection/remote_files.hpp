// What a dashboard lists for copying, and which bytes a copy still lacks.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

struct RemoteFile {
  std::string name;        ///< also "samples/epoch-1.png"
  std::uint64_t bytes = 0; ///< its size
  double changed = 0;      ///< seconds since 1970
};

struct RemoteFolder {
  std::string id;             ///< in the dashboard's addresses
  std::filesystem::path path; ///< below the folders that the dashboard watches
  std::vector<RemoteFile> files;
};

/// What a dashboard has to copy.
struct RemoteFiles {
  std::string machine;               ///< its name
  std::vector<RemoteFolder> folders; ///< a grid or cluster before its runs
};

/// Reads the answer to GET /api/files. @throws std::invalid_argument for another text, and for a
/// path or name that leads out of the folder of copies
RemoteFiles remote_files_in(const std::string& json);

/// A file's copy on this machine.
struct CopiedFile {
  std::uint64_t bytes = 0;
  double changed = 0; ///< seconds since 1970
};

/// Whether a program only appends to the file, so that its copy continues where it ends.
bool only_grows(const std::string& name);

/// The first byte that the copy lacks; nothing if it lacks none. 0: it is copied anew, since it is
/// new, has changed, or is shorter than its copy.
std::optional<std::uint64_t> first_lacking(const RemoteFile& file,
                                           const std::optional<CopiedFile>& copy);

} // namespace troupe
