#include "base/files/growing_file.hpp"

#include "base/files/descriptor.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace troupe {

bool GrowingFile::read(const Take& take, const Extent& extent) {
  const Descriptor file{open(path_.c_str(), O_RDONLY | O_CLOEXEC)};
  struct stat now {};
  if (file.get() < 0 || fstat(file.get(), &now) != 0 || !S_ISREG(now.st_mode))
    return true; // there is none yet
  const auto whole = static_cast<std::uint64_t>(now.st_size);
  const auto other = std::exchange(file_, now.st_ino) != now.st_ino;
  if (read_ > 0 && (other || whole < read_)) {
    read_ = 0;
    return false;
  }
  const auto size = std::min(whole, extent.end);
  constexpr std::size_t piece = std::size_t{1} << 18;
  const auto before = read_;
  std::string buffer;
  while (read_ + buffer.size() < size && read_ - before < extent.most_bytes) {
    const auto kept = buffer.size(); // the begin of a line
    const auto wanted = std::min<std::uint64_t>(piece, size - read_ - kept);
    buffer.resize(kept + wanted);
    const auto got
      = pread(file.get(), buffer.data() + kept, wanted, static_cast<off_t>(read_ + kept));
    buffer.resize(kept + static_cast<std::size_t>(got > 0 ? got : 0));
    if (got <= 0)
      break;
    std::size_t begin = 0;
    for (auto end = buffer.find('\n', kept); end != std::string::npos;
         end = buffer.find('\n', begin)) {
      take(std::string_view{buffer}.substr(begin, end - begin), read_ + begin);
      begin = end + 1;
    }
    buffer.erase(0, begin);
    read_ += begin;
  }
  if (extent.half_line && !buffer.empty() && read_ + buffer.size() == size)
    take(buffer, read_);
  return true;
}

} // namespace troupe
