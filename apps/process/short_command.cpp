#include "apps/process/short_command.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <thread>

namespace troupe {

namespace {

using Clock = std::chrono::steady_clock;

/// Starts it in its own process group, with its output in the pipe. @returns its process id; 0 if
/// it cannot be started.
pid_t spawn_into(int pipe, std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (auto& argument : command)
    arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, pipe, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t process = 0;
  if (posix_spawnp(&process, arguments.front(), &files, &attributes, arguments.data(), environ)
      != 0)
    process = 0;
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return process;
}

/// @returns whether everything up to the end of the pipe was read.
bool read_all(int pipe, Clock::time_point until, std::string& text) {
  std::array<char, 4096> piece{};
  for (;;) {
    const auto left
      = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    pollfd wait{pipe, POLLIN, 0};
    if (left <= 0 || poll(&wait, 1, static_cast<int>(left)) <= 0)
      return false;
    const auto count = read(pipe, piece.data(), piece.size());
    if (count <= 0)
      return true;
    text.append(piece.data(), static_cast<std::size_t>(count));
  }
}

/// The exit status of a process that has closed its output; nothing if it does not end in time.
std::optional<int> status_at_end(pid_t process, Clock::time_point until) {
  for (int status = 0;; std::this_thread::sleep_for(std::chrono::milliseconds{1})) {
    if (waitpid(process, &status, WNOHANG) == process)
      return status;
    if (Clock::now() > until)
      return {};
  }
}

} // namespace

std::optional<std::string> output_within(std::vector<std::string> command,
                                         std::chrono::milliseconds limit) {
  const auto until = Clock::now() + limit;
  std::array<int, 2> pipe{};
  if (pipe2(pipe.data(), O_CLOEXEC) != 0)
    return "";
  const auto process = spawn_into(pipe[1], command);
  close(pipe[1]);
  std::string text;
  const auto whole = process != 0 && read_all(pipe[0], until, text);
  close(pipe[0]);
  if (process == 0)
    return "";
  const auto status = whole ? status_at_end(process, until) : std::nullopt;
  if (!status) {
    kill(-process, SIGKILL);
    waitpid(process, nullptr, 0);
    return {};
  }
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0)
    text.pop_back();
  return WIFEXITED(*status) && WEXITSTATUS(*status) == 0 ? text : "";
}

} // namespace troupe
