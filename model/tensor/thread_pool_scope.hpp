#pragma once

#include "model/tensor/thread_pool.hpp"

namespace troupe {

/// Gives the calling thread a pool while it lives, for work that can be split without changing a
/// bit: the steps of optimizers (write_split). It is thread-local, like ComputeScope, so that
/// optimizers do not depend on it. Do not use it inside ThreadPool::run.
class ThreadPoolScope {
public:
  /// @param pool null: none
  explicit ThreadPoolScope(ThreadPool* pool) : former_(on_this_thread) { on_this_thread = pool; }
  ~ThreadPoolScope() { on_this_thread = former_; }
  ThreadPoolScope(const ThreadPoolScope&) = delete;
  ThreadPoolScope& operator=(const ThreadPoolScope&) = delete;

  /// @returns the pool of the calling thread; null: it works alone
  static ThreadPool* current() { return on_this_thread; }

private:
  static inline thread_local ThreadPool* on_this_thread = nullptr;
  ThreadPool* former_;
};

} // namespace troupe
