#pragma once

#include <optional>
#include <string>

namespace troupe {

/// A node's lease with the coordinator of its grid: decides when to renew it, and when the
/// coordinator counts as lost. Times are seconds of one monotonic clock.
class CoordinatorLease {
public:
  /// The coordinator has admitted the node.
  void begin(double length, double now);
  double length() const { return length_; }

  bool is_due(double now) const { return now >= renew_from_; }
  /// A renewal is being sent: the next one is due a lease later.
  void renew(double now) { renew_from_ = now + length_; }
  /// The coordinator has answered a renewal. @param sent when it was sent
  void answered(double sent);

  /// @returns why the coordinator counts as lost: it has been silent for two leases; otherwise
  /// nothing.
  std::optional<std::string> loss(double now) const;

private:
  double length_ = 1, answered_ = 0, renew_from_ = 0;
};

} // namespace troupe
