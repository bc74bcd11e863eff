#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

namespace troupe {

/// A process that this one started. Its lines come through a pipe; it ends with this process,
/// whatever ends it.
class ChildProcess {
public:
  /// Runs this very program with `arguments`. @throws IoError where it cannot be started.
  /// @param processor the only one that it may use; -1: those of this process
  /// @param variables of its environment, over those of this process
  ChildProcess(std::string name, const std::vector<std::string>& arguments, int processor = -1,
               const std::map<std::string, std::string>& variables = {});
  ~ChildProcess(); ///< ends it, at once
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;

  const std::string& name() const { return name_; }
  int output() const { return output_; } ///< to poll; -1 once it is at its end
  bool running() const { return pid_ > 0; }
  int exit_code() const { return exit_code_; } ///< 128 + n for signal n; once it does not run

  /// Takes what has come. @returns whole lines, each with its line break.
  std::vector<std::string> read_lines();
  void signal(int number);
  /// Looks whether it has ended. @returns false while it runs.
  bool reap();

private:
  std::string name_;
  pid_t pid_ = -1;
  int output_ = -1, exit_code_ = 0;
  std::string rest_; ///< of a line
};

} // namespace troupe
