#pragma once

#include "base/text/duration.hpp"

#include <chrono>
#include <deque>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

namespace troupe {

/// Runs jobs that wait for answers of other actors, one after the other: each starts when the
/// previous one has called `done`. Jobs run in the order in which they were added, while the actor
/// keeps handling messages.
class SerialQueue {
public:
  /// Starts something that calls `done` when it is over.
  using Job = std::function<void()>;

  /// `job`, or a handler that it has installed, must call `done` once.
  void add(Job job) {
    waiting_.push_back(std::move(job));
    if (!busy_)
      run_next();
  }

  /// The running job is over: the next one starts.
  void done() {
    busy_ = false;
    if (!looping_)
      run_next();
  }

private:
  /// A loop instead of recursion: many jobs may finish at once.
  void run_next() {
    looping_ = true;
    while (!busy_ && !waiting_.empty()) {
      busy_ = true;
      const auto job = std::move(waiting_.front());
      waiting_.pop_front();
      job();
    }
    looping_ = false;
  }

  std::deque<Job> waiting_;
  bool busy_ = false, looping_ = false;
};

/// The deadline of a request as a duration.
/// @throws std::invalid_argument for a time that is not above 0, with the owner's name.
inline std::chrono::nanoseconds request_deadline(const std::string& owner, double seconds) {
  if (!(seconds > 0))
    throw std::invalid_argument("the deadline of " + owner + " is " + std::to_string(seconds)
                                + " s; give a time above 0");
  return timespan_of(seconds);
}

} // namespace troupe
