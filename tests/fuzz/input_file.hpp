// Inputs as files, for parsers that take paths.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace troupe::fuzz {

/// A file in memory.
class InputFile {
public:
  InputFile();
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  /// Makes it hold these bytes. @returns its path, which stays the same.
  const std::string& hold(std::string_view bytes);

private:
  int descriptor_;
  std::string path_;
};

/// A folder that goes away with the process, where it ends in good order.
class InputFolder {
public:
  InputFolder();
  ~InputFolder();
  InputFolder(const InputFolder&) = delete;
  InputFolder& operator=(const InputFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// @returns the file's path.
  std::filesystem::path write(const std::string& name, std::string_view bytes) const;

private:
  std::filesystem::path path_;
};

std::string contents_of(const std::filesystem::path& file);

/// The input's first byte, which chooses among `choices` ways to read the rest, which is left; 0
/// where there is none.
unsigned take_choice(std::string_view& input, unsigned choices);

} // namespace troupe::fuzz
