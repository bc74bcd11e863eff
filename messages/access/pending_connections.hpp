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
  std::size_t total = 256;
  std::size_t per_address = 128;
  std::chrono::milliseconds deadline{5000}; ///< within which each must authenticate
};

/// Connections whose peers have not authenticated yet. When there are too many, the oldest is
/// dropped, not the newest: a legitimate peer authenticates within milliseconds, and always finds
/// room beside idle connections.
class PendingConnections {
public:
  using Id = std::uint64_t;
  using Time = std::chrono::steady_clock::time_point;

  explicit PendingConnections(PendingLimits limits) : limits_(limits) {}

  /// A connection arrived. @param id larger than all before
  /// @returns the connection to end for it: the oldest of its address if that address has too many,
  /// or the oldest of the busiest address if there are too many in total.
  std::optional<Id> add(Id id, const std::string& address, Time now);

  /// It has authenticated or ended. Unknown ids are ignored.
  void remove(Id id);

  /// Removes and returns the connections whose deadline has passed.
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
