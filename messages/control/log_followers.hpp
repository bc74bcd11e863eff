#pragma once

#include <caf/actor_addr.hpp>

#include <cstdint>
#include <map>
#include <utility>

namespace troupe {

/// The followers of a log that have not seen its end. A follower is told from others by its sender
/// and a number of its own: all of another node have one sender.
class LogFollowers {
public:
  using Follower = std::pair<caf::actor_addr, std::uint64_t>;

  /// It has asked. @returns whether it did for the first time.
  bool asked(const Follower& follower, double now) {
    return last_asked_.insert_or_assign(follower, now).second;
  }
  void saw_end(const Follower& follower) { last_asked_.erase(follower); }
  /// The sender's actor has ended.
  void ended(const caf::actor_addr& sender) {
    std::erase_if(last_asked_, [&](const auto& one) { return one.first.first == sender; });
  }
  /// Forgets those that ask no more. @returns whether any is left.
  bool any_left(double now) {
    constexpr double patience = 1; // seconds
    std::erase_if(last_asked_, [&](const auto& one) { return now - one.second > patience; });
    return !last_asked_.empty();
  }

private:
  std::map<Follower, double> last_asked_; ///< seconds on the clock
};

} // namespace troupe
