#pragma once

#include "base/files/file_content.hpp"
#include "tests/support/data_files.hpp"

#include <fcntl.h>

#include <cstdio>
#include <sstream>

namespace troupe::test {

inline std::string text_of_file(const std::string& path) { return file_content(path).value_or(""); }

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream{text};
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

/// While it lives, this process's standard error goes to a file.
class CapturedErrors {
public:
  CapturedErrors() : path_(folder_.path("stderr")) {
    std::fflush(stderr);
    before_ = ::dup(STDERR_FILENO);
    const auto file = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    REQUIRE(before_ >= 0);
    REQUIRE(file >= 0);
    ::dup2(file, STDERR_FILENO);
    ::close(file);
  }
  ~CapturedErrors() {
    std::fflush(stderr);
    ::dup2(before_, STDERR_FILENO);
    ::close(before_);
  }
  CapturedErrors(const CapturedErrors&) = delete;
  CapturedErrors& operator=(const CapturedErrors&) = delete;

  std::string text() const {
    std::fflush(stderr);
    return text_of_file(path_);
  }
  std::vector<std::string> lines() const { return lines_of(text()); }

private:
  DataFolder folder_;
  std::string path_;
  int before_ = -1;
};

} // namespace troupe::test
