#pragma once

#include "base/types.hpp"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace troupe {

/// Threads that compute parts of one task together with the calling thread. They sleep between
/// tasks: a spinning thread would take a core from another process.
///
/// One thread calls `run` at a time. Nothing is allocated after construction.
class ThreadPool {
public:
  /// @param size number of threads including the calling one; at least 1
  explicit ThreadPool(Index size);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// Threads, the calling one included.
  Index size() const { return static_cast<Index>(errors_.size()); }

  /// Calls work(thread) for each thread 0 .. size - 1 concurrently, 0 on the calling thread, and
  /// returns when all are done. Rethrows the exception of the lowest-numbered thread that threw.
  template <class Work>
  void run(Work&& work) {
    run({&work, [](const void* each, Index thread) {
           (*const_cast<std::remove_reference_t<Work>*>(
             static_cast<const std::remove_reference_t<Work>*>(each)))(thread);
         }});
  }

private:
  /// A reference to a callable, without memory of its own.
  struct Call {
    const void* work = nullptr; ///< const or not, which `call` knows
    void (*call)(const void* work, Index thread) = nullptr;
  };

  void run(const Call& call);
  void serve(Index thread);
  void work(const Call& call, Index thread);

  std::mutex mutex_;
  std::condition_variable begins_, ends_;
  Call call_;
  std::uint64_t runs_ = 0; ///< started; a thread that has served fewer has one to serve
  Index working_ = 0;      ///< threads beside the calling one that are not done yet
  bool stopping_ = false;
  std::vector<std::exception_ptr> errors_; ///< by thread
  std::vector<std::thread> threads_;
};

} // namespace troupe
