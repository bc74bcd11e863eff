#pragma once

#include "base/files/descriptor.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace troupe {

/// The bytes of a file where they are: the system reads a page when it is used, and takes it back
/// where memory is short.
///
/// Others may write the file meanwhile. One that is replaced, as by a rename, keeps its bytes here.
/// One that becomes shorter loses its pages, and the process that reads them ends with SIGBUS:
/// call check_unchanged before each use. Only a file that is cut between that and the end of the
/// use is not noticed.
class MappedFile {
public:
  /// @throws IoError if it cannot be read
  explicit MappedFile(std::string path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  const std::string& path() const { return path_; }
  std::string_view bytes() const { return {begin_, size_}; }

  /// @throws DataError if the file was written since it was mapped
  void check_unchanged() const;

  /// Gives memory back; bytes that are used again are read again.
  void release() const;

  /// From now on bytes are used in any order, so that reading what is beside them gains nothing.
  void expect_any_order() const;

private:
  struct State {
    std::uint64_t bytes = 0;
    std::int64_t seconds = 0, nanoseconds = 0; // when it was written last
    bool operator==(const State&) const = default;
  };
  State state() const;

  std::string path_;
  Descriptor file_;
  State mapped_;
  const char* begin_ = nullptr;
  std::size_t size_ = 0;
};

} // namespace troupe
