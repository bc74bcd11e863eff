#include "base/files/readable_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

namespace troupe {

std::optional<ReadableFile> ReadableFile::open(const std::filesystem::path& path) {
  Descriptor descriptor{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (descriptor.get() < 0)
    return {};
  return ReadableFile{std::move(descriptor)};
}

std::uint64_t ReadableFile::size() const {
  struct stat status {};
  return fstat(descriptor_.get(), &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

std::size_t ReadableFile::read_at(std::uint64_t offset, std::span<std::byte> to) const {
  std::size_t done = 0;
  while (done < to.size()) {
    const auto count = pread(descriptor_.get(), to.data() + done, to.size() - done,
                             static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      break;
    done += static_cast<std::size_t>(count);
  }
  return done;
}

} // namespace troupe
