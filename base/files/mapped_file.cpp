#include "base/files/mapped_file.hpp"

#include "base/failure.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace troupe {

namespace {

IoError cannot_map(const std::string& path) {
  return IoError("cannot read " + path + ": " + std::strerror(errno));
}

} // namespace

MappedFile::MappedFile(std::string path)
  : path_(std::move(path)),
    file_(open(path_.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (file_.get() < 0)
    throw cannot_map(path_);
  mapped_ = state();
  if (mapped_.bytes == 0) // which cannot be mapped
    return;
  auto* memory = mmap(nullptr, mapped_.bytes, PROT_READ, MAP_PRIVATE, file_.get(), 0);
  if (memory == MAP_FAILED)
    throw cannot_map(path_);
  begin_ = static_cast<const char*>(memory);
  size_ = mapped_.bytes;
}

MappedFile::MappedFile(MappedFile&& other) noexcept
  : path_(std::move(other.path_)),
    file_(std::move(other.file_)),
    mapped_(other.mapped_),
    begin_(std::exchange(other.begin_, nullptr)),
    size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(file_, other.file_);
  std::swap(mapped_, other.mapped_);
  std::swap(begin_, other.begin_);
  std::swap(size_, other.size_);
  return *this;
}

MappedFile::~MappedFile() {
  if (begin_ != nullptr)
    munmap(const_cast<char*>(begin_), size_);
}

MappedFile::State MappedFile::state() const {
  struct stat status {};
  if (fstat(file_.get(), &status) != 0)
    throw cannot_map(path_);
  return {static_cast<std::uint64_t>(status.st_size), status.st_mtim.tv_sec,
          status.st_mtim.tv_nsec};
}

void MappedFile::check_unchanged() const {
  if (state() != mapped_)
    throw DataError(path_ + " was written while it was in use; start again with a file that stays "
                    + "as it is, and save new data under another name");
}

void MappedFile::release() const {
  if (begin_ != nullptr)
    madvise(const_cast<char*>(begin_), size_, MADV_DONTNEED);
}

void MappedFile::expect_any_order() const {
  if (begin_ != nullptr)
    madvise(const_cast<char*>(begin_), size_, MADV_RANDOM);
}

} // namespace troupe
