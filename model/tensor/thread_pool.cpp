#include "model/tensor/thread_pool.hpp"

#include <stdexcept>

namespace troupe {

ThreadPool::ThreadPool(Index size) {
  if (size < 1)
    throw std::invalid_argument("a pool of " + std::to_string(size)
                                + " threads; give it at least 1");
  errors_.resize(static_cast<std::size_t>(size));
  for (Index thread = 1; thread < size; ++thread)
    threads_.emplace_back([this, thread] { serve(thread); });
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard lock{mutex_};
    stopping_ = true;
  }
  begins_.notify_all();
  for (auto& thread : threads_)
    thread.join();
}

void ThreadPool::run(const Call& call) {
  if (!threads_.empty()) {
    {
      std::lock_guard lock{mutex_};
      call_ = call;
      working_ = static_cast<Index>(threads_.size());
      ++runs_;
    }
    begins_.notify_all();
  }
  work(call, 0);
  if (!threads_.empty()) {
    std::unique_lock lock{mutex_};
    ends_.wait(lock, [this] { return working_ == 0; });
  }
  for (const auto& error : errors_)
    if (error)
      std::rethrow_exception(error);
}

void ThreadPool::serve(Index thread) {
  for (std::uint64_t served = 0;; ++served) {
    Call call;
    {
      std::unique_lock lock{mutex_};
      begins_.wait(lock, [&] { return stopping_ || runs_ > served; });
      if (stopping_)
        return;
      call = call_;
    }
    work(call, thread);
    std::lock_guard lock{mutex_};
    if (--working_ == 0)
      ends_.notify_one();
  }
}

void ThreadPool::work(const Call& call, Index thread) {
  auto& error = errors_[static_cast<std::size_t>(thread)];
  error = nullptr;
  try {
    call.call(call.work, thread);
  } catch (...) {
    error = std::current_exception();
  }
}

} // namespace troupe
