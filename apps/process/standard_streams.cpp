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

constexpr std::chrono::milliseconds next_look{20};      // between two looks for a reader
constexpr std::chrono::milliseconds longest_wait{1000}; // with one who reads no more
std::atomic<bool> readers_are_awaited = true;           // by results

/// A way to a pipe or a terminal on which a write waits for nobody. It is opened anew: a flag on
/// the descriptor would be one of the shell's, too, and of all who have it from there. Where that
/// is refused, to another user say, it is the descriptor: poll() then has to do, and does for
/// pipes.
class WayOut {
public:
  explicit WayOut(int descriptor) : descriptor_(descriptor) {
    struct stat about {};
    if (fstat(descriptor, &about) == 0 && (S_ISFIFO(about.st_mode) || S_ISCHR(about.st_mode))
        && (fcntl(descriptor, F_GETFL) & O_ACCMODE) != O_RDONLY) // which is to refuse
      own_ = open(("/proc/self/fd/" + std::to_string(descriptor)).c_str(),
                  O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  }
  ~WayOut() {
    if (own_ >= 0)
      close(own_);
  }
  WayOut(const WayOut&) = delete;
  WayOut& operator=(const WayOut&) = delete;

  int descriptor() const { return own_ >= 0 ? own_ : descriptor_; }

private:
  int descriptor_, own_ = -1;
};

/// What a stream writes is never held back, and waits for readers as outlive_readers() has it.
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
      return true; // else the stream would stay silent for good
    }
    return write_while(descriptor_, bytes, [left = longest_wait]() mutable {
      return readers_are_awaited || (left -= next_look).count() > 0;
    });
  }

  /// Who has not read for the whole patience once is not waited for again before he does.
  void put_line(std::string_view bytes) {
    if (left_out_
        && write_within(descriptor_, "(lines are left out here: nobody read them in time)\n", {}))
      left_out_ = false;
    if (!left_out_)
      left_out_ = !write_within(descriptor_, bytes, longest_wait);
  }

  int descriptor_;
  bool results_;
  std::atomic<bool> left_out_ = false; ///< threads share a stream
};

} // namespace

void occupy_standard_streams() {
  // Open takes the lowest place that is free. One that can only be read refuses results.
  for (const auto place : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(place, F_GETFD) < 0
        && open("/dev/null", place == STDERR_FILENO ? O_WRONLY : O_RDONLY) < 0)
      return;
}

void outlive_readers() {
  ::signal(SIGPIPE, SIG_IGN);
  // They are used until the process ends, by destructors of others, too.
  static auto& errors = *new PatientBuffer{STDERR_FILENO, false};
  static auto& results = *new PatientBuffer{STDOUT_FILENO, true};
  std::cout.flush();
  std::cerr.rdbuf(&errors);
  std::cout.rdbuf(&results);
}

void wait_no_longer_for_readers() { readers_are_awaited = false; }

void end_with_reader() {
  pollfd output{STDOUT_FILENO, 0, 0};
  if (::poll(&output, 1, 0) > 0 && (output.revents & POLLERR) != 0)
    std::_Exit(0); // an actor system would wait, and the stream complain of what it has left
}

bool write_while(int descriptor, std::string_view bytes, const std::function<bool()>& patient) {
  const WayOut way{descriptor};
  while (!bytes.empty()) {
    pollfd room{way.descriptor(), POLLOUT, 0};
    const auto ready = ::poll(&room, 1, static_cast<int>(next_look.count())) > 0;
    // What a pipe takes whole where it has any room.
    const auto count = ready ? ::write(way.descriptor(), bytes.data(),
                                       std::min<std::size_t>(bytes.size(), PIPE_BUF))
                             : 0;
    if (count < 0 && errno != EAGAIN && errno != EINTR)
      return false;
    if (ready && count < 0) // there is room, but for less than a character of a terminal
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
