// Files that a reader sees complete at any time, either the old version or the new one.
#pragma once

#include "base/failure.hpp"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string_view>

namespace troupe {

/// Who may read a file: its owner alone, or, for a file that people asked for by name such as an
/// export, everyone the process's umask admits.
enum class Readers { owner, all };

/// A file that is being written: a temporary file beside the final one, which it replaces
/// atomically in `commit`. Until then, and after any failure, the old file stays; the temporary
/// file is removed.
class DurableFile {
public:
  /// @param readers who may read the file from its first byte on
  /// @throws IoError if the folder is not writable, and if `path` is a folder, a device, a
  ///         pipe or a socket
  explicit DurableFile(std::filesystem::path path, Readers readers = Readers::owner);
  ~DurableFile();
  DurableFile(const DurableFile&) = delete;
  DurableFile& operator=(const DurableFile&) = delete;

  /// Appends. @throws IoError, e.g. on a full disk.
  void write(const void* data, std::size_t bytes);
  /// Overwrites bytes that were written before. @throws IoError
  void write_at(std::size_t offset, const void* data, std::size_t bytes);

  /// Starts writing these bytes to the disk without waiting, so that less is left to synchronise.
  void begin_synchronising(std::size_t offset, std::size_t bytes);

  /// Writes everything to the disk; the name still refers to the old file. @throws IoError
  void synchronise();
  /// Renames the file and synchronises its folder. @throws IoError
  void commit();

private:
  std::filesystem::path path_, temporary_;
  int descriptor_ = -1;
};

/// Writes a whole file. @throws IoError if it cannot; then the old file is unchanged.
void write_file(const std::filesystem::path& path, std::string_view content,
                Readers readers = Readers::owner);

/// Calls `create` with names beside `path` until it creates something under an unused name: it
/// returns a negative number if the name is taken (errno: EEXIST).
/// @throws IoError for any other error
std::filesystem::path make_beside(const std::filesystem::path& path,
                                  const std::function<int(const char* name)>& create);

/// The final name of a file that make_beside named: "state.bin" for ".state.bin.123.4". "" for
/// other names.
std::string_view final_name(std::string_view beside);

} // namespace troupe
