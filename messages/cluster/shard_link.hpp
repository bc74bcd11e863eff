#pragma once

#include "base/back_off.hpp"
#include "messages/cluster/cluster.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace troupe {

/// State of the connection to one shard: what to do next, and what answers and missing answers
/// mean. All times are seconds of one clock.
class ShardLink {
public:
  enum class Due : std::uint8_t { nothing, connect, join, renew };

  /// What to do now; a renewal is due every `lease` seconds.
  Due due(double now, double lease);

  // -- the connection ------------------------------------------------------------------------
  /// @returns false if a connection attempt is in flight; the other `begin` functions likewise.
  bool begin_to_connect();
  void connected(const ShardRoute& route);
  void not_connected(const std::string& why, double now);
  /// @returns the lost route; nothing if there was none.
  std::optional<ShardRoute> lose(const std::string& why, double now);

  const ShardRoute* route() const { return route_ ? &*route_ : nullptr; }
  /// Whether this is the present connection, not an earlier one.
  bool is_control(const caf::actor_addr& address) const;
  bool is_block(const caf::actor_addr& address) const;

  // -- the worker's membership there ----------------------------------------------------------
  /// The worker joins for a new training.
  void reset();
  /// The shard no longer knows the worker.
  void forget_worker() { incarnation_ = 0; }
  bool begin_to_join();
  bool is_joining() const { return joining_; }
  /// @returns how many versions are lost that the holder had reported, because it was restored at
  /// an older one. Others may have pushed since, so the version alone does not show the restart.
  Version joined(const Joined& answer);
  void not_joined() { joining_ = false; }
  /// @returns whether the refusal differs from the last one.
  bool refused(const std::string& why);

  /// Also false if the worker is no member.
  bool begin_to_renew();
  void renewed(Version version);
  /// A renewal was refused. @returns whether it was of the present incarnation.
  bool renewal_refused(std::uint64_t incarnation);
  /// @returns whether the connection now counts as lost.
  bool renewal_unanswered();
  static constexpr unsigned silence_allowed = 2; ///< renewals in a row without an answer

  /// Whether requests can be sent: the shard is connected, and the worker is a member.
  bool is_usable() const { return route_ && incarnation_ != 0; }
  std::uint64_t incarnation() const { return incarnation_; }
  bool created() const { return created_; } ///< whether there were parameters when it joined
  void set_seen(Version version);           ///< the holder has reported it
  const std::string& last_error() const { return last_error_; } ///< why there is no connection

private:
  std::optional<ShardRoute> route_;
  bool connecting_ = false, joining_ = false, renewing_ = false; ///< a request is in flight
  BackOff back_off_;
  double try_from_ = 0;           ///< earliest time of the next connection attempt
  double renew_from_ = 0;         ///< when the next renewal is due
  unsigned silent_ = 0;           ///< renewals in a row without an answer
  std::uint64_t incarnation_ = 0; ///< of the worker there; 0: it has to join
  bool created_ = false;
  Version seen_ = 0;     ///< newest version reported by the holder
  Version restored_ = 0; ///< see Joined::restored
  std::string last_error_;
};

} // namespace troupe
