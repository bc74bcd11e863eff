// Runs the built program as a user does.
#pragma once

#include "base/files/file_content.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace troupe::test {

/// A folder of the test's own, removed with it.
class WorkFolder {
public:
  WorkFolder() {
    auto pattern = (std::filesystem::temp_directory_path() / "troupe-test-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~WorkFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

private:
  std::filesystem::path path_;
};

struct Ran {
  int code = 0;
  std::string out, error;
};

inline std::string contents(const std::filesystem::path& path) {
  return file_content(path).value_or("");
}

/// Runs a shell script in `folder`; `$troupe` is the program.
inline Ran shell(const std::filesystem::path& folder, const std::string& script) {
  const auto out = folder / ".stdout", error = folder / ".stderr", file = folder / ".script";
  std::ofstream(file) << "cd '" << folder.string() << "' || exit 1\ntroupe='" << TROUPE_PROGRAM
                      << "'\n"
                      << script << "\n";
  const auto command
    = "sh '" + file.string() + "' >'" + out.string() + "' 2>'" + error.string() + "' </dev/null";
  const auto status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128, contents(out), contents(error)};
}

/// Runs `troupe <arguments>` in `folder`.
inline Ran troupe_program(const std::filesystem::path& folder, const std::string& arguments) {
  return shell(folder, "\"$troupe\" " + arguments);
}

/// The value of "name": "..." in a line of JSON.
inline std::string json_text(const std::string& json, const std::string& name) {
  const auto key = "\"" + name + "\":\"";
  const auto begin = json.find(key);
  if (begin == std::string::npos)
    return "";
  const auto from = begin + key.size();
  return json.substr(from, json.find('"', from) - from);
}

/// A small set of digits for tests.
inline const std::string small_digits = "problem.train=600 problem.validation=100 problem.test=100 "
                                        "model.hidden='[16]' training.seed=5 ";

} // namespace troupe::test
