#include "troupe/apps/run_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <ctime>
#include <system_error>
#include <utility>

namespace troupe {

namespace {

IoError cannot(const std::string& what, const std::filesystem::path& path, int error) {
  return IoError("cannot " + what + " '" + path.string()
                 + "': " + std::generic_category().message(error));
}

std::string time_name(std::chrono::system_clock::time_point time) {
  const auto seconds = std::chrono::system_clock::to_time_t(time);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> text;
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H-%M-%SZ", &parts)};
}

// Has `create` make a temporary file beside the final one. In containers every process is number
// 1, so a name may be taken by one that lives on another host, or died on this one: then the next.
template <class Create>
std::filesystem::path temporary(const std::filesystem::path& path, Create create) {
  static std::atomic<unsigned> count{0};
  constexpr int most = 10'000;
  for (int i = 0; i < most; ++i) {
    auto fresh = path;
    fresh.replace_filename("." + path.filename().string() + "." + std::to_string(getpid()) + "."
                           + std::to_string(++count));
    if (create(fresh.c_str()) >= 0)
      return fresh;
    if (errno != EEXIST)
      break;
  }
  throw cannot("write", path, errno);
}

// Removes a temporary file unless it got its final name.
class Cleanup {
public:
  explicit Cleanup(std::filesystem::path path) : path_(std::move(path)) {}
  Cleanup(const Cleanup&) = delete;
  Cleanup& operator=(const Cleanup&) = delete;
  ~Cleanup() {
    if (!path_.empty())
      unlink(path_.c_str());
  }
  void release() { path_.clear(); }

private:
  std::filesystem::path path_;
};

// Closes on the way out; `close` reports what a network file system says only then.
class OpenFile {
public:
  explicit OpenFile(int descriptor) : descriptor_(descriptor) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() { close(); }
  int descriptor() const { return descriptor_; }
  bool close() {
    const auto open = std::exchange(descriptor_, -1);
    return open < 0 || ::close(open) == 0;
  }

private:
  int descriptor_;
};

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : ".";
}

// Makes the rename itself last. A file system that cannot synchronise folders has no more to give.
void synchronise_folder(const std::filesystem::path& folder) {
  OpenFile file{open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (file.descriptor() >= 0)
    fsync(file.descriptor());
}

} // namespace

std::string as_file_name(std::string_view name) {
  constexpr std::size_t longest = 100;
  std::string result;
  for (char c : name.substr(0, longest)) {
    const auto u = static_cast<unsigned char>(c);
    const bool fits = u < 0x80 && (std::isalnum(u) != 0 || c == '_' || c == '-');
    if (fits || (c == '.' && !result.empty()))
      result += c;
    else if (c != '.' && (result.empty() || result.back() != '-'))
      result += '-';
  }
  return result.empty() || result == "-" ? "unnamed" : result;
}

std::filesystem::path create_run_folder(const RunFolderOptions& options) {
  const auto parent = options.root / as_file_name(options.problem) / as_file_name(options.model);
  std::error_code error;
  std::filesystem::create_directories(parent, error);
  if (error)
    throw cannot("create", parent, error.value());
  auto name = time_name(options.started);
  if (!options.tag.empty())
    name += "-" + as_file_name(options.tag);
  constexpr int most = 10'000; // starts in one second; more is a defect somewhere
  for (int i = 1; i <= most; ++i) {
    const auto folder = parent / (i == 1 ? name : name + "-" + std::to_string(i));
    // mkdir succeeds for exactly one caller, so that the folder is its own lock.
    if (mkdir(folder.c_str(), 0777) == 0)
      return folder;
    if (errno != EEXIST)
      throw cannot("create", folder, errno);
  }
  throw cannot("create", parent / name, EEXIST);
}

void point_latest(const std::filesystem::path& root, const std::filesystem::path& folder) {
  const auto link = root / "latest";
  auto target = folder.lexically_relative(root);
  if (target.empty() || *target.begin() == "..")
    target = std::filesystem::absolute(folder);
  const auto fresh
    = temporary(link, [&](const char* name) { return symlink(target.c_str(), name); });
  Cleanup cleanup{fresh};
  if (rename(fresh.c_str(), link.c_str()) != 0)
    throw cannot("write", link, errno);
  cleanup.release();
}

void write_file(const std::filesystem::path& path, std::string_view content) {
  int descriptor = -1;
  const auto fresh = temporary(path, [&](const char* name) {
    return descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  });
  Cleanup cleanup{fresh};
  OpenFile file{descriptor};
  while (!content.empty()) {
    const auto written = write(file.descriptor(), content.data(), content.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      throw cannot("write", path, errno);
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  if (fsync(file.descriptor()) != 0 || !file.close())
    throw cannot("write", path, errno);
  if (rename(fresh.c_str(), path.c_str()) != 0)
    throw cannot("write", path, errno);
  cleanup.release();
  synchronise_folder(folder_of(path));
}

} // namespace troupe
