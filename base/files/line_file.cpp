#include "base/files/line_file.hpp"

#include <unistd.h>

#include <cerrno>

namespace troupe {

LineFile::LineFile(int descriptor) : descriptor_(descriptor) {
  end_ = ::lseek(descriptor_, 0, SEEK_END); // a pipe has none, and nothing to cut off
  char last = '\n';
  torn_ = end_ > 0 && ::pread(descriptor_, &last, 1, end_ - 1) == 1 && last != '\n';
}

LineFile::~LineFile() { ::close(descriptor_); }

bool LineFile::write(std::string_view bytes, std::size_t& written) {
  for (written = 0; written < bytes.size();) {
    const auto count = ::write(descriptor_, bytes.data() + written, bytes.size() - written);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return false;
    written += static_cast<std::size_t>(count);
  }
  return true;
}

std::size_t LineFile::append(std::string_view lines) {
  std::size_t written = 0;
  if (torn_) {
    if (!write("\n", written))
      return 0;
    torn_ = false;
    end_ = ::lseek(descriptor_, 0, SEEK_END);
  }
  if (write(lines, written)) {
    end_ += static_cast<std::int64_t>(written);
    return written;
  }
  const auto reason = errno;
  const auto whole = written == 0 ? 0 : lines.rfind('\n', written - 1) + 1; // npos + 1 is 0
  end_ += static_cast<std::int64_t>(whole);
  torn_ = written > whole && ::ftruncate(descriptor_, end_) != 0;
  errno = reason;
  return whole;
}

} // namespace troupe
