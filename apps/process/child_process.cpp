#include "apps/process/child_process.hpp"

#include "apps/process/interrupts.hpp"
#include "apps/process/process_limits.hpp"
#include "base/failure.hpp"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace troupe {

namespace {

/// This process's environment, overridden by `variables`, as "NAME=value".
std::vector<std::string> environment_with(const std::map<std::string, std::string>& variables) {
  std::vector<std::string> all;
  for (const auto& [name, value] : variables)
    all.push_back(name + "=" + value);
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string text{*variable};
    if (!variables.contains(text.substr(0, text.find('='))))
      all.push_back(text);
  }
  return all;
}

/// The argument vector for exec; valid as long as the texts.
std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (auto& text : texts)
    pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

} // namespace

ChildProcess::ChildProcess(std::string name, const std::vector<std::string>& arguments,
                           int processor, const std::map<std::string, std::string>& variables)
  : name_(std::move(name)) {
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0)
    throw IoError("cannot make a pipe for " + name_ + ": " + std::strerror(errno));
  const std::string program = "/proc/self/exe";
  std::vector<std::string> copies{program};
  copies.insert(copies.end(), arguments.begin(), arguments.end());
  const auto argument_pointers = pointers_to(copies);
  auto environment = environment_with(variables);
  const auto environment_pointers = pointers_to(environment);
  const auto parent = getpid();
  pid_ = fork();
  if (pid_ < 0) {
    const std::system_error refused{errno, std::generic_category()};
    close(pipe[0]);
    close(pipe[1]);
    if (const auto limit = sentence_of_limit(refused))
      throw Failure(ExitCode::internal, {"cannot start " + name_ + ": " + *limit});
    throw IoError("cannot start " + name_ + ": " + refused.code().message());
  }
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL); // no orphans, even if the launcher is killed
    if (getppid() != parent)
      _exit(1);
    if (processor >= 0) {
      cpu_set_t only;
      CPU_ZERO(&only);
      CPU_SET(processor, &only);
      sched_setaffinity(0, sizeof only, &only);
    }
    setpgid(0, 0); // Ctrl-C goes to the launcher, which forwards it
    // A signal that arrives before the program handles signals stays pending instead of killing it.
    const auto signals = signals_to_end();
    sigprocmask(SIG_SETMASK, &signals, nullptr);
    dup2(pipe[1], STDOUT_FILENO);
    dup2(pipe[1], STDERR_FILENO);
    execve(program.c_str(), argument_pointers.data(), environment_pointers.data());
    _exit(127);
  }
  close(pipe[1]);
  output_ = pipe[0];
  fcntl(output_, F_SETFL, O_NONBLOCK);
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
  : name_(std::move(other.name_)),
    pid_(std::exchange(other.pid_, -1)),
    output_(std::exchange(other.output_, -1)),
    exit_code_(other.exit_code_),
    rest_(std::move(other.rest_)) {}

ChildProcess::~ChildProcess() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  if (output_ >= 0)
    close(output_);
}

std::vector<std::string> ChildProcess::read_lines() {
  std::array<char, 4096> buffer{};
  ssize_t count = 0;
  while (output_ >= 0 && (count = read(output_, buffer.data(), buffer.size())) > 0)
    rest_.append(buffer.data(), static_cast<std::size_t>(count));
  if (count == 0 && output_ >= 0) {
    close(output_);
    output_ = -1;
    if (!rest_.empty() && rest_.back() != '\n')
      rest_ += '\n';
  }
  std::vector<std::string> lines;
  for (std::size_t end = 0; (end = rest_.find('\n')) != std::string::npos;) {
    lines.push_back(rest_.substr(0, end + 1));
    rest_.erase(0, end + 1);
  }
  return lines;
}

void ChildProcess::signal(int number) {
  if (pid_ > 0)
    kill(pid_, number);
}

bool ChildProcess::reap() {
  int status = 0;
  if (pid_ > 0 && waitpid(pid_, &status, WNOHANG) == pid_) {
    pid_ = -1;
    exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  return pid_ <= 0;
}

} // namespace troupe
