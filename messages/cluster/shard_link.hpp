#pragma once

#include "base/back_off.hpp"
#include "messages/cluster/cluster.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace troupe {

/// The connection to one shard and how healthy it is: what is to be done next, and what answers and
/// silence mean. Seconds are those of one clock.
class ShardLink {
public:
  enum class Due : std::uint8_t { nothing, connect, join, renew };

  /// What is to be done now; a renewal is due once in `lease` seconds.
  Due due(double now, double lease);

  // -- the connection ------------------------------------------------------------------------
  /// @returns false where a connection is being made already; so do the other `begin`s.
  bool begin_to_connect();
  void connected(const ShardRoute& route);
  void not_connected(const std::string& why, double now);
  /// @returns the route that is lost; nothing where there was none.
  std::optional<ShardRoute> lose(const std::string& why, double now);

  const ShardRoute* route() const { return route_ ? &*route_ : nullptr; }
  /// Whether this is the connection of today, not an earlier one.
  bool is_control(const caf::actor_addr& address) const;
  bool is_block(const caf::actor_addr& address) const;

  // -- the worker's membership there ----------------------------------------------------------
  /// The worker joins for a new training.
  void start_anew();
  /// The worker is not known there any more.
  void forget_worker() { incarnation_ = 0; }
  bool begin_to_join();
  bool is_joining() const { return joining_; }
  /// @returns how many versions are lost that the holder had told of: it came back older. Others
  /// may have pushed to it by now: its version alone need not tell that it has begun anew.
  Version joined(const Joined& answer);
  void not_joined() { joining_ = false; }
  /// @returns whether it is another refusal than the last.
  bool refused(const std::string& why);

  /// False where the worker is no member, too.
  bool begin_to_renew();
  void renewed(Version version);
  /// A renewal was refused. @returns whether it was one of the present incarnation.
  bool renewal_refused(std::uint64_t incarnation);
  /// @returns whether the connection counts as lost by that.
  bool renewal_unanswered();
  static constexpr unsigned silence_allowed = 2; ///< renewals in a row without an answer

  /// Whether requests can be sent: there is a connection, and the worker is a member.
  bool is_usable() const { return route_ && incarnation_ != 0; }
  std::uint64_t incarnation() const { return incarnation_; }
  bool created() const { return created_; } ///< whether there were parameters when it joined
  void saw(Version version);                ///< the holder has told of it
  const std::string& last_error() const { return last_error_; } ///< why there is no connection

private:
  std::optional<ShardRoute> route_;
  bool connecting_ = false, joining_ = false, renewing_ = false; ///< a request is in flight
  BackOff back_off_;
  double try_from_ = 0;           ///< when the next try to connect may begin
  double renew_from_ = 0;         ///< when the next renewal is due
  unsigned silent_ = 0;           ///< renewals in a row without an answer
  std::uint64_t incarnation_ = 0; ///< of the worker there; 0: it has to join
  bool created_ = false;
  Version seen_ = 0;     ///< the newest that it has told of
  Version restored_ = 0; ///< see Joined::restored
  std::string last_error_;
};

} // namespace troupe
