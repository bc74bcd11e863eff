#include "apps/process/process_limits.hpp"

#include "base/failure.hpp"

#include <malloc.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <new>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

namespace troupe {

namespace {

/// "4" or "unlimited", like a shell's ulimit.
std::string limit_text(__rlimit_resource resource, rlim_t unit) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return "unlimited";
  return std::to_string(limit.rlim_cur / unit);
}

std::string memory_limit() {
  constexpr rlim_t kilobyte = 1024;
  return "of memory (ulimit -v is " + limit_text(RLIMIT_AS, kilobyte) + ")";
}

std::string limits_text() {
  return "raise its limits of processes and threads (ulimit -u is " + limit_text(RLIMIT_NPROC, 1)
         + ") and " + memory_limit() + ", or those of its container or batch job";
}

std::string no_memory_text() {
  return "the system gives no more memory; give smaller sizes or batches, or raise its limit "
         + memory_limit() + ", or that of its container or batch job";
}

/// Threads of this process; 0 if the system does not tell.
std::ptrdiff_t threads_now() {
  std::error_code unknown;
  const std::filesystem::directory_iterator tasks{"/proc/self/task", unknown};
  return unknown ? 0 : std::distance(begin(tasks), end(tasks));
}

/// Threads that wait until they are released.
class HeldThreads {
public:
  /// @throws std::system_error if the system refuses one
  explicit HeldThreads(std::size_t count) {
    threads_.reserve(count);
    try {
      while (threads_.size() < count)
        threads_.emplace_back([this] { wait(); });
    } catch (...) {
      let_go();
      throw;
    }
  }
  ~HeldThreads() { let_go(); }
  HeldThreads(const HeldThreads&) = delete;
  HeldThreads& operator=(const HeldThreads&) = delete;

private:
  void wait() {
    std::free(std::malloc(1)); // allocates the thread's arena
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [this] { return over_; });
  }

  void let_go() {
    if (threads_.empty())
      return;
    {
      const std::lock_guard lock{mutex_};
      over_ = true;
    }
    changed_.notify_all();
    for (auto& thread : threads_)
      thread.join();
    threads_.clear();
    // The system counts a thread for a moment after it has been joined.
    for (int looks = 0; threads_now() > before_ && looks < 1000; ++looks)
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }

  const std::ptrdiff_t before_ = threads_now();
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::vector<std::thread> threads_;
};

bool gives_memory(std::uint64_t bytes) {
  if (bytes == 0)
    return true;
  void* const memory
    = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) // NOLINT(performance-no-int-to-ptr): the system's macro
    return false;
  munmap(memory, bytes);
  return true;
}

void write_plainly_to_stderr(std::string_view text) {
  const auto written = write(STDERR_FILENO, text.data(), text.size());
  static_cast<void>(written); // there is no other way to report
}

/// Handles an uncaught exception, in any thread and possibly without memory.
[[noreturn]] void end_with_a_sentence() {
  const auto end = [](std::string_view text) {
    write_plainly_to_stderr("troupe: ");
    write_plainly_to_stderr(text);
    write_plainly_to_stderr("\n");
    _exit(static_cast<int>(ExitCode::internal));
  };
  try {
    if (const auto current = std::current_exception())
      std::rethrow_exception(current);
    end("a bug in Troupe: std::terminate without an exception");
  } catch (const std::bad_alloc&) {
    end("the system gives no more memory; raise its limit (ulimit -v)");
  } catch (const std::system_error& e) {
    if (e.code() == std::errc::resource_unavailable_try_again)
      end("the system gives no more threads; raise its limits (ulimit -u, ulimit -v)");
    end(e.what());
  } catch (const std::exception& e) {
    write_plainly_to_stderr("troupe: a bug in Troupe: an uncaught exception\n");
    end(e.what());
  } catch (...) {
    end("a bug in Troupe: an uncaught exception");
  }
  _exit(static_cast<int>(ExitCode::internal));
}

} // namespace

void check_resources(const ProcessNeeds& needs) {
  try {
    const HeldThreads threads{needs.threads};
    if (!gives_memory(needs.bytes))
      throw std::bad_alloc{};
  } catch (const std::system_error&) {
    throw Failure(ExitCode::internal,
                  {"the system does not give this process the " + std::to_string(needs.threads)
                   + " threads that it needs; " + limits_text()});
  } catch (const std::bad_alloc&) {
    throw Failure(ExitCode::internal, {no_memory_text()});
  }
}

std::optional<std::string> sentence_of_limit(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr)
    return no_memory_text();
  const auto* refused = dynamic_cast<const std::system_error*>(&error);
  if (refused != nullptr && refused->code() == std::errc::resource_unavailable_try_again)
    return "the system gives no more processes and threads; " + limits_text();
  if (refused != nullptr && refused->code() == std::errc::not_enough_memory)
    return no_memory_text();
  return {};
}

void install_limit_handlers() {
  if (rlimit limit{}; getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    mallopt(M_ARENA_MAX, 1); // an arena per thread would reserve 64 MB of the limited space
  ::signal(SIGXFSZ, SIG_IGN);
  ::signal(SIGXCPU, [](int) { // training handles it as an interrupt instead
    write_plainly_to_stderr(
      "troupe: the limit of processor time (ulimit -t) is reached; raise it to continue\n");
    _exit(static_cast<int>(ExitCode::internal));
  });
  std::set_terminate(end_with_a_sentence);
}

} // namespace troupe
