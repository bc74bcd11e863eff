#pragma once

#include "base/types.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace troupe {

/// What a message from another node needs of its sender.
enum class Needs : std::uint8_t {
  nothing,      ///< it carries a token of its own
  token,        ///< the sender has introduced itself with the cluster's token
  introduction, ///< the same, and it has not left since
  membership,   ///< the sender has joined, and its lease has not ended
  training,     ///< the same, and it is no observer
  own_process,  ///< no other node may send it
};

/// The need of one message, and the number of the member in whose name it speaks, if it names one.
struct Demand {
  Needs needs = Needs::own_process;
  std::optional<WorkerId> number = std::nullopt;
  bool leaves = false; ///< the sender is no member afterwards
};

/// What a peer became by a message that was answered.
struct Membered {
  WorkerId number = 0;
  std::optional<double> lease = std::nullopt;  ///< seconds between renewals; nothing: as before
  std::optional<bool> observes = std::nullopt; ///< nothing: as before
};

/// Which peers on other nodes are heard, and with which messages. A peer is known by a key that was
/// drawn for it when it introduced itself. Times are seconds of one monotonic clock.
class Admission {
public:
  /// @param token of the cluster; "": whoever introduces itself is let in
  explicit Admission(std::string token) : token_(std::move(token)) {}

  bool asks_token() const { return !token_.empty(); }
  /// @returns why a peer that shows this token is not let in; "" where it is.
  std::string refusal_of(const std::string& token) const;
  void introduce(const std::string& key) { peers_.emplace(key, Peer{}); }

  bool knows(const std::string& key) const { return peers_.contains(key); }
  /// @returns why the peer may not send this, as "it ..."; "" where it may.
  std::string refusal(const std::string& key, const Demand& demand, double now) const;

  /// The peer has joined, or renewed its lease. Another one that had this number has it no more.
  void join(const std::string& key, const Membered& membered, double now);
  /// All but joining anew is over for the peer.
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
    bool observes = false;
  };

  std::string token_;
  std::map<std::string, Peer> peers_;
  std::map<WorkerId, Member> members_; ///< over lost connections, too
};

} // namespace troupe
