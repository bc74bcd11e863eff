// Files that are, whatever happens and whoever looks, the old one or the new one.
#pragma once

#include "base/files/data_error.hpp"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string_view>

namespace troupe {

/// Whom a file lets in: its owner alone, or where people have asked for it by name, as an export,
/// all whom the process's mask lets through.
enum class Readers { owner, all };

/// A file in the making: a temporary one beside the final one, which takes its place at once in
/// `commit`. Until then, and where anything fails, what was there before stays; what was begun is
/// removed.
class DurableFile {
public:
  /// @param readers whom the file lets in from its first byte on
  /// @throws FileError where the folder does not let us write, and where `path` is a folder, a
  /// device, a pipe or a socket.
  explicit DurableFile(std::filesystem::path path, Readers readers = Readers::owner);
  ~DurableFile();
  DurableFile(const DurableFile&) = delete;
  DurableFile& operator=(const DurableFile&) = delete;

  /// Appends. @throws FileError, e.g. on a full disk.
  void write(const void* data, std::size_t bytes);
  /// Replaces bytes that were written before. @throws FileError
  void write_at(std::size_t offset, const void* data, std::size_t bytes);

  /// Lets the disk begin with these bytes, without waiting, so that less is left to synchronise.
  void begin_synchronising(std::size_t offset, std::size_t bytes);

  /// Hands all of it to the disk; the name still belongs to the old file. @throws FileError
  void synchronise();
  /// Gives it its name; the disk keeps the name, too. @throws FileError
  void commit();

private:
  std::filesystem::path path_, temporary_;
  int descriptor_ = -1;
};

/// Writes a whole file. @throws FileError where it cannot; the old file and no other is then there.
void write_file(const std::filesystem::path& path, std::string_view content,
                Readers readers = Readers::owner);

/// Has `create` make something beside `path` under a name that nobody else has: it returns a
/// negative number where the name is taken (errno: EEXIST).
/// @throws FileError for any other reason.
std::filesystem::path make_beside(const std::filesystem::path& path,
                                  const std::function<int(const char* name)>& create);

/// What a file of make_beside's is to be called once it is whole: "state.bin" of
/// ".state.bin.123.4". "" for other names.
std::string_view name_to_be(std::string_view beside);

} // namespace troupe
