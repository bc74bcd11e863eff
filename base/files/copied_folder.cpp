#include "base/files/copied_folder.hpp"

#include "base/files/durable_file.hpp"
#include "base/files/private_files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <vector>

namespace troupe {

namespace {

namespace fs = std::filesystem;

IoError copy_error(const std::string& what) {
  return IoError(what + "; check the free space and the permissions");
}

IoError unreadable(const fs::path& path, const std::error_code& why) {
  return copy_error("cannot read '" + path.string() + "': " + why.message());
}

std::error_code last_error() { return {errno, std::generic_category()}; }

/// A stale handle means that another machine has removed the file from a network file system.
bool is_gone(const std::error_code& error) {
  return error == std::errc::no_such_file_or_directory
         || error == std::error_code{ESTALE, std::generic_category()};
}

/// True if a file could not be read because its writer has just removed it.
bool has_vanished(const fs::path& path, const std::error_code& why) {
  std::error_code ignored;
  return is_gone(why) && fs::symlink_status(path, ignored).type() == fs::file_type::not_found;
}

/// A file open for reading. Not a stream, because a stream does not tell why it fails.
class SourceFile {
public:
  explicit SourceFile(const fs::path& path)
    : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0)
      error_ = last_error();
  }
  ~SourceFile() {
    if (descriptor_ >= 0)
      close(descriptor_);
  }
  SourceFile(const SourceFile&) = delete;
  SourceFile& operator=(const SourceFile&) = delete;

  /// @returns the number of bytes read; 0 at the end and on an error.
  std::size_t read(std::vector<char>& bytes) {
    while (!error_) {
      const auto count = ::read(descriptor_, bytes.data(), bytes.size());
      if (count >= 0)
        return static_cast<std::size_t>(count);
      if (errno != EINTR)
        error_ = last_error();
    }
    return 0;
  }
  const std::error_code& error() const { return error_; }

private:
  int descriptor_;
  std::error_code error_;
};

/// @returns why the source cannot be read. @throws IoError if the copy cannot be written.
std::error_code copy_once(const fs::path& from, const fs::path& to) {
  constexpr std::size_t piece = 1 << 20;
  std::vector<char> bytes(piece);
  SourceFile source{from};
  try {
    DurableFile copy{to};
    while (const auto count = source.read(bytes))
      copy.write(bytes.data(), count);
    if (!source.error())
      copy.commit();
  } catch (const IoError& e) {
    throw copy_error(e.what());
  }
  return source.error();
}

void copy_file(const fs::path& from, const fs::path& to) {
  constexpr int most_tries = 10; // of a file that is replaced again and again
  std::error_code why;
  for (int i = 0; i < most_tries; ++i) {
    why = copy_once(from, to);
    if (!why || has_vanished(from, why))
      return;
    if (!is_gone(why))
      break;
  }
  throw unreadable(from, why);
}

} // namespace

void copy_folder(const fs::path& from, const fs::path& to) {
  try {
    make_private_folder(to);
  } catch (const IoError& e) {
    throw copy_error(e.what());
  }
  std::error_code error;
  for (fs::directory_iterator entry{from, error}, end; !error && entry != end;
       entry.increment(error)) {
    std::error_code unknown;
    const auto type = entry->status(unknown).type();
    const auto there = to / entry->path().filename();
    if (type == fs::file_type::none)
      throw unreadable(entry->path(), unknown);
    if (type == fs::file_type::directory)
      copy_folder(entry->path(), there);
    else if (type == fs::file_type::regular)
      troupe::copy_file(entry->path(), there);
  }
  if (error && !has_vanished(from, error))
    throw unreadable(from, error);
}

} // namespace troupe
