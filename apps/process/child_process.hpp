#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

namespace troupe {

/// A child of this process. Its output comes through a pipe; it dies with this process, however
/// this process ends.
class ChildProcess {
public:
  /// Runs this same program with `arguments`. @throws IoError if it cannot be started.
  /// @param processor the only one the child may use; -1: the same as this process
  /// @param variables environment variables of the child that override those of this process
  ChildProcess(std::string name, const std::vector<std::string>& arguments, int processor = -1,
               const std::map<std::string, std::string>& variables = {});
  ~ChildProcess(); ///< kills it
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;

  const std::string& name() const { return name_; }
  int output() const { return output_; } ///< for poll(); -1 after the end of the output
  bool running() const { return pid_ > 0; }
  int exit_code() const { return exit_code_; } ///< 128 + n for signal n; valid after the end

  /// Reads the available output. @returns whole lines, each with its line break.
  std::vector<std::string> read_lines();
  void signal(int number);
  /// Checks whether it has ended. @returns false while it runs.
  bool reap();

private:
  std::string name_;
  pid_t pid_ = -1;
  int output_ = -1, exit_code_ = 0;
  std::string rest_; ///< an incomplete last line
};

} // namespace troupe
