#include "tests/fuzz/input_file.hpp"

#include "tests/fuzz/parser.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

namespace troupe::fuzz {

InputFile::InputFile()
  : descriptor_(memfd_create("input", MFD_CLOEXEC)),
    path_("/proc/self/fd/" + std::to_string(descriptor_)) {
  if (descriptor_ < 0)
    report("the system has no files in memory");
}

InputFile::~InputFile() { close(descriptor_); }

const std::string& InputFile::hold(std::string_view bytes) {
  if (ftruncate(descriptor_, 0) != 0
      || pwrite(descriptor_, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    report("a file in memory cannot be written");
  return path_;
}

InputFolder::InputFolder() {
  auto name = (std::filesystem::temp_directory_path() / "troupe-fuzz-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr)
    report("there is no room for files");
  path_ = name;
}

InputFolder::~InputFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path InputFolder::write(const std::string& name, std::string_view bytes) const {
  std::ofstream{path_ / name, std::ios::binary} << bytes;
  return path_ / name;
}

std::string contents_of(const std::filesystem::path& file) {
  std::ifstream in{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

unsigned take_choice(std::string_view& input, unsigned choices) {
  if (input.empty())
    return 0;
  const auto choice = static_cast<unsigned char>(input.front()) % choices;
  input.remove_prefix(1);
  return choice;
}

} // namespace troupe::fuzz
