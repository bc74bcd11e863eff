#include "actors/log/console.hpp"

#include "actors/log/fitted_progress.hpp"
#include "actors/log/screen.hpp"
#include "base/files/private_files.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spdlog/sinks/base_sink.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string_view>
#include <system_error>
#include <utility>

namespace troupe {

namespace {

constexpr double plain_line_every = 10; // seconds

spdlog::level::level_enum spdlog_level(Level level) {
  switch (level) {
  case Level::debug: return spdlog::level::debug;
  case Level::info: return spdlog::level::info;
  case Level::warning: return spdlog::level::warn;
  case Level::error: return spdlog::level::err;
  }
  return spdlog::level::info;
}

/// The line as shown; only information has no level in front.
std::string shown_line(const Say& say, bool color) {
  const auto mark = [color](const char* escape, const std::string& word) {
    return color ? escape + word + "\x1b[m: " : word + ": ";
  };
  switch (say.level) {
  case Level::debug: return mark("\x1b[36m", "debug") + say.text;
  case Level::info: break;
  case Level::warning: return mark("\x1b[33m\x1b[1m", "warning") + say.text;
  case Level::error: return mark("\x1b[31m\x1b[1m", "error") + say.text;
  }
  return say.text;
}

bool set(const char* variable) {
  const auto* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

/// Blocks while the reader does not read.
void write_error(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto count = ::write(STDERR_FILENO, bytes.data(), bytes.size());
    if (count >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno == EAGAIN) { // set by another program on the same terminal
      pollfd room{STDERR_FILENO, POLLOUT, 0};
      ::poll(&room, 1, -1);
    } else if (errno != EINTR) {
      return;
    }
  }
}

/// spdlog's own file sink follows symbolic links; this one does not.
class PrivateSink : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
public:
  explicit PrivateSink(const std::string& path) : path_(path) {
    const auto descriptor = open_private(path, O_WRONLY | O_APPEND);
    if (descriptor < 0)
      throw IoError("cannot write the console's lines to '" + path + "': " + reason_of_open(errno));
    file_.reset(fdopen(descriptor, "ab"));
  }

private:
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  void sink_it_(const spdlog::details::log_msg& line) override {
    spdlog::memory_buf_t text;
    formatter_->format(line, text);
    check(std::fwrite(text.data(), 1, text.size(), file_.get()) == text.size());
  }
  void flush_() override { check(std::fflush(file_.get()) == 0); }
  void check(bool written) const {
    if (!written)
      spdlog::throw_spdlog_ex("cannot write to '" + path_ + "'", errno);
  }

  const std::string path_;
  std::unique_ptr<std::FILE, CloseFile> file_;
};

/// Starts a thread that blocks all signals, so that other threads handle them.
template <class Work>
std::thread thread_without_signals(Work work) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread;
  try {
    thread = std::thread{std::move(work)};
  } catch (const std::system_error&) {
    // no thread available: the caller sees that it is not joinable
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

} // namespace

int width_of_window(int otherwise) {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : otherwise;
}

ConsoleOptions console_of_this_process() {
  ConsoleOptions options;
  const auto* term = std::getenv("TERM");
  const auto dumb = term != nullptr && std::string_view{term} == "dumb";
  options.terminal = isatty(STDERR_FILENO) == 1 && !dumb;
  options.color
    = (options.terminal && !set("NO_COLOR")) || (set("CLICOLOR_FORCE") && !set("NO_COLOR"));
  options.utf8 = locale_has_utf8();
  if (options.terminal)
    options.width = width_of_window(options.width);
  return options;
}

struct Console::Shared {
  Shared(Screen wanted, int window) : screen(std::move(wanted)), width(window) {}

  bool idle() const { return !writing && !screen.pending(); }

  std::mutex mutex;
  std::condition_variable changed;
  Screen screen;
  int width; ///< used if the terminal does not report its width; 0: no terminal
  bool writing = false;
  bool unread = false; ///< a flush has timed out waiting for the current text
  bool over = false;   ///< nothing follows
};

Console::Console(ConsoleOptions options)
  : options_(std::move(options)),
    shared_(std::make_shared<Shared>(Screen{options_.terminal ? options_.width : 0,
                                            options_.file,
                                            {options_.color, options_.utf8}},
                                     options_.terminal ? options_.width : 0)) {
  if (options_.shown && !options_.file.empty())
    open_file();
}

Console::~Console() {
  if (!thread_.joinable())
    return;
  change([](Shared& shared) {
    shared.screen.clear_progress();
    shared.over = true;
  });
  if (flush())
    thread_.join();
  else
    thread_.detach(); // its write cannot be cancelled before the reader reads
}

void Console::write_pending(const std::shared_ptr<Shared>& shared) {
  std::unique_lock lock{shared->mutex};
  for (;;) {
    shared->changed.wait(lock, [&] { return shared->screen.pending() || shared->over; });
    if (!shared->screen.pending())
      return;
    if (shared->width > 0)
      shared->screen.set_width(width_of_window(shared->width));
    const auto text = shared->screen.take();
    shared->writing = true;
    lock.unlock();
    write_error(text);
    lock.lock();
    shared->writing = shared->unread = false;
    shared->changed.notify_all();
  }
}

template <class Change>
void Console::change(Change change) {
  {
    const std::lock_guard lock{shared_->mutex};
    change(*shared_);
  }
  if (!thread_.joinable()) // started late: most of a simulated cluster's thousand consoles stay
                           // silent
    thread_ = thread_without_signals([shared = shared_] { write_pending(shared); });
  if (!thread_.joinable()) { // no thread: write here
    const std::lock_guard lock{shared_->mutex};
    write_error(shared_->screen.take());
    return;
  }
  shared_->changed.notify_all();
}

void Console::say(const Say& say) {
  if (!options_.shown) {
    keep(say);
    return;
  }
  if (file_)
    file_->log(spdlog_level(say.level), "{}", say.text);
  if (say.level >= options_.level)
    change([&](Shared& shared) { shared.screen.add_line(shown_line(say, options_.color)); });
}

void Console::show(const ShowProgress& progress, double now) {
  if (!options_.shown || options_.level > Level::info)
    return;
  if (!options_.terminal) {
    const auto [last, first] = printed_.emplace(progress.name, now);
    if (!first && !progress.text.empty() && now - last->second >= plain_line_every) {
      last->second = now;
      change([&](Shared& shared) {
        shared.screen.add_line(options_.utf8 ? progress.text : in_ascii(progress.text));
      });
    }
    return;
  }
  change([&](Shared& shared) { shared.screen.set_progress(progress.name, progress.text); });
}

void Console::open_file() {
  file_ = std::make_shared<spdlog::logger>("file", std::make_shared<PrivateSink>(options_.file));
  file_->set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %l %v");
  file_->flush_on(spdlog::level::info);
}

/// Writes to the file only.
void Console::keep(const Say& what) {
  if (what.level < options_.level)
    return;
  try {
    if (!file_)
      open_file();
    file_->log(spdlog_level(what.level), "{}", what.text);
  } catch (const IoError&) { // show the line rather than lose it
    options_.shown = true;
    say(what);
  }
}

bool Console::flush() {
  std::unique_lock lock{shared_->mutex};
  // Waits in pieces, so that a process that was suspended loses at most one piece of its patience.
  constexpr std::chrono::milliseconds piece{50};
  const auto written = [this] { return shared_->idle(); };
  for (auto left = options_.patience;
       !shared_->unread && !shared_->changed.wait_for(lock, piece, written); left -= piece)
    shared_->unread = left <= piece;
  return written();
}

} // namespace troupe
