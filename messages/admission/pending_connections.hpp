#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

struct PendingLimits {
  std::size_t in_all = 256;
  std::size_t per_address = 128;
  std::chrono::milliseconds deadline{5000}; ///< for each to show that it belongs here
};

/// Connections whose peers have not shown yet that they belong here. Where there are too many, the
/// oldest has to go and not the newest: a peer that belongs here is through within milliseconds,
/// and finds room beside any number of idle ones.
class PendingConnections {
public:
  using Id = std::uint64_t;
  using Time = std::chrono::steady_clock::time_point;

  explicit PendingConnections(PendingLimits limits) : limits_(limits) {}

  /// A connection came. @param id larger than all before
  /// @returns the one to end for it: the oldest of its address where that has too many, or of the
  /// address that has most where all together are too many.
  std::optional<Id> add(Id id, const std::string& address, Time now);

  /// It has shown that it belongs here, or has ended. Does nothing for others.
  void remove(Id id);

  /// Whose deadline is over; they are removed.
  std::vector<Id> overdue(Time now);

  std::optional<Time> next_deadline() const;
  std::optional<Id> oldest() const;
  std::size_t size() const { return connections_.size(); }

private:
  struct Connection {
    std::string address;
    Time until;
  };
  Id oldest_of(const std::string& address) const;

  PendingLimits limits_;
  std::map<Id, Connection> connections_; ///< the oldest first
  std::map<std::string, std::size_t> of_address_;
};

} // namespace troupe
