#pragma once

#include "base/types.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace troupe {

/// What a peer must have shown before it may send a message.
enum class Needs : std::uint8_t {
  nothing,      ///< always admitted: the message carries its own token
  token,        ///< the peer has introduced itself with the cluster's token
  introduction, ///< the same, and it has not left since
  membership,   ///< the peer has joined, and its lease has not ended
  training,     ///< the same, and it trains
  own_process,  ///< never admitted from another node
};

/// The need of one message, and the number of the member it speaks for, if it names one.
struct Demand {
  Needs needs = Needs::own_process;
  std::optional<WorkerId> number = std::nullopt;
  bool leaves = false; ///< the sender stops being a member
};

/// How an answered message changed the sender's membership.
struct MembershipChange {
  WorkerId number = 0;
  std::optional<double> lease = std::nullopt;   ///< seconds between renewals; nothing: unchanged
  std::optional<bool> is_reader = std::nullopt; ///< nothing: unchanged
};

/// Decides which peers on other nodes may send which messages. A peer is identified by a key that
/// is drawn when it introduces itself. Times are seconds of one monotonic clock.
class AccessControl {
public:
  /// @param token of the cluster; "": every peer that introduces itself is admitted
  explicit AccessControl(std::string token) : token_(std::move(token)) {}

  bool requires_token() const { return !token_.empty(); }
  /// @returns why a peer that shows this token is refused; "" if it is admitted.
  std::string refusal_of(const std::string& token) const;
  void introduce(const std::string& key) { peers_.emplace(key, Peer{}); }

  bool knows(const std::string& key) const { return peers_.contains(key); }
  /// @returns why the peer may not send this, as "it ..."; "" if it may.
  std::string refusal(const std::string& key, const Demand& demand, double now) const;

  /// The peer has joined, or renewed its lease. A peer that had this number before loses it.
  void join(const std::string& key, const MembershipChange& change, double now);
  /// The peer has left: it may only join again.
  void leave(const std::string& key);
  /// The connection of the peer has ended.
  void forget(const std::string& key) { peers_.erase(key); }

private:
  struct Peer {
    std::optional<WorkerId> number = std::nullopt; ///< nothing: it has not joined
    double seen = 0;                               ///< when it last joined or renewed
    bool left = false;
  };
  struct Member {
    double lease = 0; ///< 0: never ends
    bool is_reader = false;
  };

  std::string token_;
  std::map<std::string, Peer> peers_;
  std::map<WorkerId, Member> members_; ///< kept when connections are lost
};

} // namespace troupe
