#pragma once

#include "model/tensor/thread_pool.hpp"

namespace troupe {

/// Lends a team to what the calling thread computes while it lives, where that can be split without
/// changing a bit: the steps of optimizers (write_split). A matter of the thread, as ComputeScope
/// is, so that no optimizer has to know who trains with it. Lend none inside ThreadPool::run.
class ThreadPoolScope {
public:
  /// @param team null: none
  explicit ThreadPoolScope(ThreadPool* team) : former_(on_this_thread) { on_this_thread = team; }
  ~ThreadPoolScope() { on_this_thread = former_; }
  ThreadPoolScope(const ThreadPoolScope&) = delete;
  ThreadPoolScope& operator=(const ThreadPoolScope&) = delete;

  /// @returns the team that is lent to the calling thread; null: it works alone.
  static ThreadPool* lent() { return on_this_thread; }

private:
  static inline thread_local ThreadPool* on_this_thread = nullptr;
  ThreadPool* former_;
};

} // namespace troupe
