#include "troupe/apps/kept_file.hpp"

#include "troupe/apps/exit_codes.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string>

namespace troupe {

namespace {

std::string content_of(const std::filesystem::path& file) {
  std::ifstream in{file, std::ios::binary};
  std::string content{std::istreambuf_iterator<char>{in}, {}};
  if (!in)
    throw IoError("the file '" + file.string() + "' cannot be read");
  return content;
}

/// Nobody changes it any more, and only its owner reads it.
bool fill_and_seal(int descriptor, const std::string& content) {
  return write(descriptor, content.data(), content.size()) == static_cast<ssize_t>(content.size())
         && fchmod(descriptor, S_IRUSR) == 0
         && fcntl(descriptor, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)
              == 0;
}

} // namespace

KeptFile::KeptFile(const std::filesystem::path& file) : path_(file) {
  const auto content = content_of(file);
  descriptor_ = memfd_create("troupe-kept", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (descriptor_ < 0 || !fill_and_seal(descriptor_, content))
    return;
  const auto kept = std::filesystem::path{"/proc/self/fd"} / std::to_string(descriptor_);
  if (access(kept.c_str(), R_OK) == 0) // where /proc is there
    path_ = kept;
}

KeptFile::~KeptFile() {
  if (descriptor_ >= 0)
    close(descriptor_);
}

void allow_many_files() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max)
    return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

} // namespace troupe
