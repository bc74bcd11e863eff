// Shared by tests of problems that read files: a folder for small files, and real data.
#pragma once

#include "model/data/problem.hpp"

#include <catch2/catch.hpp>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>

namespace troupe::test {

/// A new folder that is removed with its content.
class DataFolder {
public:
  DataFolder() {
    auto name = (std::filesystem::temp_directory_path() / "troupe-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~DataFolder() { std::filesystem::remove_all(path_); }
  DataFolder(const DataFolder&) = delete;
  DataFolder& operator=(const DataFolder&) = delete;

  std::string path(const std::string& name) const { return (path_ / name).string(); }

  /// Writes a file. @returns its path.
  std::string write(const std::string& name, const std::string& bytes) const {
    // Removed first: ext4 waits for the disk when a file is overwritten, which takes a thousand
    // times as long.
    std::filesystem::remove(path_ / name);
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return path(name);
  }

private:
  std::filesystem::path path_;
};

/// All rows of a section in one batch.
inline Batch gather_all(const Problem& problem, Section section) {
  std::vector<Index> rows(static_cast<std::size_t>(problem.size(section)));
  std::iota(rows.begin(), rows.end(), Index{0});
  Batch batch;
  problem.gather(section, rows, batch);
  return batch;
}

/// The sentence of the exception of type `Error` that `action` throws; fails if it does not throw.
template <class Error, class Action>
std::string sentence_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  } catch (const std::exception& error) {
    FAIL("another exception: " << error.what());
  }
  FAIL("no exception");
  return "";
}

/// False, with a warning, if the folder of real data lacks `name`.
inline bool has_real_data(const std::string& name) {
  const auto path = std::string(TROUPE_DATA) + "/" + name;
  if (std::filesystem::exists(path))
    return true;
  WARN("skipped: there is no " << path);
  return false;
}

inline std::string real_data(const std::string& name) {
  return std::string(TROUPE_DATA) + "/" + name;
}

} // namespace troupe::test
