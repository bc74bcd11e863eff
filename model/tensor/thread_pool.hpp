#pragma once

#include "base/types.hpp"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace troupe {

/// Threads that work on parts of one thing together with the thread that asks them. Between two
/// works they sleep: whoever spins takes the core that another process wants.
///
/// One thread asks at a time. Nothing is allocated after the construction.
class ThreadPool {
public:
  /// @param size members in all, the asking thread among them; at least 1
  explicit ThreadPool(Index size);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  Index size() const { return static_cast<Index>(errors_.size()); }

  /// Calls work(member) for each member 0 .. size - 1 at once, 0 on the calling thread, and returns
  /// when all are done. Rethrows what the first member has thrown that threw anything.
  template <class Work>
  void run(Work&& work) {
    run({&work, [](const void* each, Index member) {
           (*const_cast<std::remove_reference_t<Work>*>(
             static_cast<const std::remove_reference_t<Work>*>(each)))(member);
         }});
  }

private:
  /// A callable without memory of its own.
  struct Call {
    const void* work = nullptr; ///< const or not, as the call knows
    void (*call)(const void* work, Index member) = nullptr;
  };

  void run(const Call& call);
  void serve(Index member);
  void work(const Call& call, Index member);

  std::mutex mutex_;
  std::condition_variable begins_, ends_;
  Call call_;
  std::uint64_t runs_ = 0; ///< begun; a member that has served fewer has one to serve
  Index working_ = 0;      ///< members beside the asking one that are not done yet
  bool dismissed_ = false;
  std::vector<std::exception_ptr> errors_; ///< by member
  std::vector<std::thread> threads_;
};

} // namespace troupe
