#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace troupe {

/// Lines at the end of a file, each whole or not there. What a full disk takes of a line in part is
/// cut off again: else the next line, for which there is room, would stand behind half a line and
/// be lost with it.
class LineFile {
public:
  /// @param descriptor open for appending, closed with this; its end may be half a line of a
  /// process that was killed
  explicit LineFile(int descriptor);
  ~LineFile();
  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;

  int descriptor() const { return descriptor_; }

  /// @param lines each with its end
  /// @returns of how many bytes whole lines are in the file: all, or fewer, and errno says why.
  std::size_t append(std::string_view lines);

private:
  bool write(std::string_view bytes, std::size_t& written);

  int descriptor_;
  std::int64_t end_ = 0; ///< of the last whole line
  bool torn_ = false;    ///< half a line stands behind it
};

} // namespace troupe
