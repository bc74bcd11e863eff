#pragma once

#include <optional>
#include <string>

namespace troupe {

/// A node's lease with the host of its grid: decides when it is renewed, and when the host is taken
/// for away. Times are seconds of one monotonic clock.
class CoordinatorLease {
public:
  /// The host has admitted the node.
  void begin(double length, double now);
  double length() const { return length_; }

  bool is_due(double now) const { return now >= renew_from_; }
  /// A renewal is sent: the next one is due a lease later.
  void renew(double now) { renew_from_ = now + length_; }
  /// The host has answered a renewal. @param sent when that was sent
  void answered(double sent);

  /// @returns why the host is taken for away: it has been silent for two leases; else nothing.
  std::optional<std::string> loss(double now) const;

private:
  double length_ = 1, answered_ = 0, renew_from_ = 0;
};

} // namespace troupe
