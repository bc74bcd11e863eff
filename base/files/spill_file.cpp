#include "base/files/spill_file.hpp"

#include "base/failure.hpp"
#include "base/text/byte_size.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace troupe {

namespace {

// Addresses, not memory; the thread sanitizer leaves few.
constexpr std::size_t most_bytes_of_spill = std::size_t{1} << 38;

std::size_t whole_pages(std::size_t bytes) {
  static const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

/// A file that no name refers to.
int open_unnamed(const std::string& folder) {
  const auto file = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR))
    return file;
  auto path = folder + "/troupe-XXXXXX"; // the file system has only files with names
  const auto named = mkostemp(path.data(), O_CLOEXEC);
  if (named >= 0)
    unlink(path.c_str());
  return named;
}

} // namespace

std::string SpillFile::usual_folder() {
  const auto* folder = std::getenv("TMPDIR");
  return folder != nullptr && *folder != '\0' ? folder : "/var/tmp";
}

SpillFile::SpillFile(std::string folder, std::uint64_t resident)
  : folder_(std::move(folder)),
    resident_(resident),
    file_(open_unnamed(folder_)) {
  if (file_.get() < 0)
    throw IoError("cannot make a temporary file in " + folder_ + ": " + std::strerror(errno)
                  + "; set TMPDIR to a folder on a disk with room");
  auto* memory = mmap(nullptr, most_bytes_of_spill, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_NORESERVE, file_.get(), 0);
  if (memory == MAP_FAILED)
    throw IoError("cannot map a temporary file in " + folder_ + ": " + std::strerror(errno)
                  + "; set TMPDIR to a folder on a disk with room");
  begin_ = static_cast<std::byte*>(memory);
}

SpillFile::~SpillFile() { munmap(begin_, most_bytes_of_spill); }

std::byte* SpillFile::take(std::size_t bytes) {
  const auto size = whole_pages(bytes);
  const std::scoped_lock lock(mutex_);
  // Before the first use: a page without a place on the disk would end the process by SIGBUS.
  const auto error
    = end_ + size > most_bytes_of_spill
        ? EFBIG
        : posix_fallocate(file_.get(), static_cast<off_t>(end_), static_cast<off_t>(size));
  if (error != 0)
    throw IoError("cannot write " + byte_size_text(used_ + size) + " into a temporary file in "
                  + folder_ + ": " + std::strerror(error)
                  + "; free space there, or set TMPDIR to a folder on a disk with more");
  auto* const memory = begin_ + std::exchange(end_, end_ + size);
  used_ += size;
  return memory;
}

void SpillFile::give_back(std::byte* memory, std::size_t bytes) {
  const auto size = whole_pages(bytes);
  // A file system that cannot make holes keeps the place until the end of the process.
  if (fallocate(file_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, memory - begin_,
                static_cast<off_t>(size))
      == 0)
    used_ -= size;
}

void SpillFile::leave_memory() {
  const std::scoped_lock lock(mutex_);
  resident_now_ = 0;
  madvise(begin_, end_, MADV_DONTNEED); // of a shared mapping: its bytes stay in the file
}

void SpillFile::expect_any_order() const { posix_fadvise(file_.get(), 0, 0, POSIX_FADV_RANDOM); }

void SpillFile::write(std::byte* to, std::span<const std::byte> bytes) {
  for (auto offset = to - begin_; !bytes.empty();) {
    const auto written = pwrite(file_.get(), bytes.data(), bytes.size(), offset);
    if (written > 0) {
      offset += written;
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      throw IoError("cannot write a temporary file in " + folder_ + ": " + std::strerror(errno)
                    + "; set TMPDIR to a folder on a disk with room");
    }
  }
}

void SpillFile::read(const std::byte* from, std::span<std::byte> to) const {
  for (auto offset = from - begin_; !to.empty();) {
    const auto got = pread(file_.get(), to.data(), to.size(), offset);
    if (got > 0) {
      offset += got;
      to = to.subspan(static_cast<std::size_t>(got));
    } else if (got == 0 || errno != EINTR) {
      throw IoError("cannot read a temporary file in " + folder_ + ": "
                    + (got == 0 ? "it is too short" : std::strerror(errno)));
    }
  }
}

} // namespace troupe
