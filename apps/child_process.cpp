#include "troupe/apps/child_process.hpp"

#include "troupe/apps/exit_codes.hpp"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace troupe {

ChildProcess::ChildProcess(std::string name, const std::vector<std::string>& arguments,
                           int processor)
  : name_(std::move(name)) {
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0)
    throw IoError("cannot make a pipe for " + name_ + ": " + std::strerror(errno));
  std::vector<char*> words;
  std::string program = "/proc/self/exe";
  words.push_back(program.data());
  auto copies = arguments;
  for (auto& word : copies)
    words.push_back(word.data());
  words.push_back(nullptr);
  const auto parent = getpid();
  pid_ = fork();
  if (pid_ < 0)
    throw IoError("cannot start " + name_ + ": " + std::strerror(errno));
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL); // no orphans, even where the launcher is killed
    if (getppid() != parent)
      _exit(1);
    if (processor >= 0) {
      cpu_set_t only;
      CPU_ZERO(&only);
      CPU_SET(processor, &only);
      sched_setaffinity(0, sizeof only, &only);
    }
    setpgid(0, 0); // Ctrl-C goes to the launcher, which passes it on
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    dup2(pipe[1], STDOUT_FILENO);
    dup2(pipe[1], STDERR_FILENO);
    execv(program.c_str(), words.data());
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
    if (!rest_.empty())
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
