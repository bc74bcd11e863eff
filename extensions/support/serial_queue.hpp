#pragma once

#include "base/text/duration.hpp"

#include <chrono>
#include <deque>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

namespace troupe {

/// Does jobs one after the other, where a job waits for the answers of other actors: each begins
/// when the one before it has called `over`. Asked for in the order of an actor's messages, they
/// are done in that order, while the actor itself goes on to hear.
class SerialQueue {
public:
  using Job = std::function<void()>;

  /// `job`, or what it has started, calls `over` once in the end.
  void add(Job job) {
    waiting_.push_back(std::move(job));
    if (!busy_)
      go_on();
  }

  void over() {
    busy_ = false;
    if (!looping_)
      go_on();
  }

private:
  /// A loop and no recursion: jobs that are over at once may be many.
  void go_on() {
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

/// How long a request may take.
/// @throws std::invalid_argument for a time that is not above 0, with the name of its owner.
inline std::chrono::nanoseconds request_deadline(const std::string& owner, double seconds) {
  if (!(seconds > 0))
    throw std::invalid_argument("the deadline of " + owner + " is " + std::to_string(seconds)
                                + " s; give a time above 0");
  return timespan_of(seconds);
}

} // namespace troupe
