#pragma once

#include <filesystem>

namespace troupe {

/// A copy of a small file in memory. It can be opened at a path of this process, whatever becomes
/// of the file, for as long as it is kept.
class KeptFile {
public:
  /// @throws IoError where the file cannot be read.
  explicit KeptFile(const std::filesystem::path& file);
  ~KeptFile();
  KeptFile(const KeptFile&) = delete;
  KeptFile& operator=(const KeptFile&) = delete;

  /// Whoever opens it reads from the start. The file's own where the system cannot keep copies.
  const std::filesystem::path& path() const { return path_; }

private:
  std::filesystem::path path_;
  int descriptor_ = -1;
};

/// Lets this process have as many files open as the system allows it: each peer is one.
void allow_many_files();

} // namespace troupe
