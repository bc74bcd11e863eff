#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace troupe {

/// Appends lines to a file, each complete or not at all. The part of a line that fits on a full
/// disk is cut off again: otherwise the next line would be appended to it and both would be lost.
class LineFile {
public:
  /// @param descriptor open for appending, closed by the destructor; the file may end with half a
  ///        line of a process that was killed
  explicit LineFile(int descriptor);
  ~LineFile();
  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;

  int descriptor() const { return descriptor_; }

  /// @param lines each with its end
  /// @returns the number of bytes of whole lines written: all, or fewer, and then errno says why
  std::size_t append(std::string_view lines);

private:
  bool write(std::string_view bytes, std::size_t& written);

  int descriptor_;
  std::int64_t end_ = 0; ///< of the last whole line
  bool torn_ = false;    ///< a partial line follows it
};

} // namespace troupe
