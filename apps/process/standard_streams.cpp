#include "apps/process/standard_streams.hpp"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <initializer_list>
#include <iostream>
#include <streambuf>
#include <string>
#include <thread>

namespace troupe {

namespace {

constexpr std::chrono::milliseconds next_look{20};      // between two checks for a reader
constexpr std::chrono::milliseconds longest_wait{1000}; // for a reader that has stopped
std::atomic<bool> readers_are_awaited = true;           // by results

/// A descriptor of a pipe or terminal on which a write never blocks. The file is opened again,
/// because the O_NONBLOCK flag of an inherited descriptor would also apply to the shell and all
/// other processes that share it. If opening fails, for example because the file belongs to another
/// user, it uses the given descriptor and relies on poll(), which is sufficient for pipes.
class NonBlockingOutput {
public:
  explicit NonBlockingOutput(int descriptor) : descriptor_(descriptor) {
    struct stat about {};
    if (fstat(descriptor, &about) == 0 && (S_ISFIFO(about.st_mode) || S_ISCHR(about.st_mode))
        && (fcntl(descriptor, F_GETFL) & O_ACCMODE) != O_RDONLY) // a read-only one has to fail
      own_ = open(("/proc/self/fd/" + std::to_string(descriptor)).c_str(),
                  O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  }
  ~NonBlockingOutput() {
    if (own_ >= 0)
      close(own_);
  }
  NonBlockingOutput(const NonBlockingOutput&) = delete;
  NonBlockingOutput& operator=(const NonBlockingOutput&) = delete;

  int descriptor() const { return own_ >= 0 ? own_ : descriptor_; }

private:
  int descriptor_, own_ = -1;
};

/// An unbuffered stream that waits for readers as survive_closed_outputs() says.
class PatientBuffer : public std::streambuf {
public:
  PatientBuffer(int descriptor, bool results) : descriptor_(descriptor), results_(results) {}

protected:
  std::streamsize xsputn(const char* bytes, std::streamsize count) override {
    return put({bytes, static_cast<std::size_t>(count)}) ? count : 0;
  }
  int_type overflow(int_type byte) override {
    const auto character = traits_type::to_char_type(byte);
    return traits_type::eq_int_type(byte, traits_type::eof()) || put({&character, 1})
             ? traits_type::not_eof(byte)
             : traits_type::eof();
  }

private:
  bool put(std::string_view bytes) {
    if (!results_) {
      put_line(bytes);
      return true; // a failed stream would stay silent for good
    }
    return write_while(descriptor_, bytes, [left = longest_wait]() mutable {
      return readers_are_awaited || (left -= next_look).count() > 0;
    });
  }

  /// After one full wait in vain, later lines are dropped at once until the reader reads again.
  void put_line(std::string_view bytes) {
    if (left_out_
        && write_within(descriptor_, "(lines are left out here: they were not read in time)\n", {}))
      left_out_ = false;
    if (!left_out_)
      left_out_ = !write_within(descriptor_, bytes, longest_wait);
  }

  int descriptor_;
  bool results_;
  std::atomic<bool> left_out_ = false; ///< atomic: threads share a stream
};

} // namespace

void reserve_standard_streams() {
  // open() takes the lowest free descriptor. A read-only stdout makes writing results fail.
  for (const auto place : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(place, F_GETFD) < 0
        && open("/dev/null", place == STDERR_FILENO ? O_WRONLY : O_RDONLY) < 0)
      return;
}

void survive_closed_outputs() {
  ::signal(SIGPIPE, SIG_IGN);
  // Never destroyed: destructors of static objects may still print.
  static auto& errors = *new PatientBuffer{STDERR_FILENO, false};
  static auto& results = *new PatientBuffer{STDOUT_FILENO, true};
  std::cout.flush();
  std::cerr.rdbuf(&errors);
  std::cout.rdbuf(&results);
}

void stop_waiting_for_readers() { readers_are_awaited = false; }

void exit_if_output_closed() {
  pollfd output{STDOUT_FILENO, 0, 0};
  if (::poll(&output, 1, 0) > 0 && (output.revents & POLLERR) != 0)
    std::_Exit(0); // an actor system would wait, and the stream would report unwritten output
}

bool write_while(int descriptor, std::string_view bytes, const std::function<bool()>& patient) {
  const NonBlockingOutput output{descriptor};
  while (!bytes.empty()) {
    pollfd room{output.descriptor(), POLLOUT, 0};
    const auto ready = ::poll(&room, 1, static_cast<int>(next_look.count())) > 0;
    // A pipe with any room takes PIPE_BUF bytes at once.
    const auto count = ready ? ::write(output.descriptor(), bytes.data(),
                                       std::min<std::size_t>(bytes.size(), PIPE_BUF))
                             : 0;
    if (count < 0 && errno != EAGAIN && errno != EINTR)
      return false;
    if (ready && count < 0) // a terminal with room for less than one character
      std::this_thread::sleep_for(next_look);
    if (count > 0)
      bytes.remove_prefix(static_cast<std::size_t>(count));
    else if (!patient())
      return false;
  }
  return true;
}

bool write_within(int descriptor, std::string_view bytes, std::chrono::milliseconds limit) {
  return write_while(descriptor, bytes,
                     [left = limit]() mutable { return (left -= next_look).count() > 0; });
}

} // namespace troupe
