#pragma once

#include "messages/parameters/parameters.hpp"
#include "messages/parameters/shard_map.hpp"

#include <caf/error.hpp>
#include <caf/expected.hpp>

#include <cstdint>
#include <string>

namespace troupe {

/// A worker's membership at the holders of its cluster, which decides which requests can be sent.
class HolderMembership {
public:
  enum class State : std::uint8_t {
    absent, ///< it has not joined, or has left
    joining,
    joined,
    stale,      ///< declared lost since its last exchange
    superseded, ///< by another process with its number
  };

  HolderMembership() = default;
  HolderMembership(WorkerId worker, std::size_t shards) : worker_(worker), shards_(shards) {}

  State state() const { return state_; }
  /// Whether the worker is to be kept a member: it has joined, or tries to, and has not left.
  bool is_wanted() const { return state_ != State::absent && state_ != State::superseded; }

  /// Why this request to join is refused; nothing if it is accepted.
  caf::error refusal_of(const Join& join) const;
  void begin(const Join& join);
  /// All holders have admitted it. @param incarnation at shard 0
  void admitted(std::uint64_t incarnation);
  /// A holder no longer knows the worker.
  void forgotten();
  /// A stale worker has received the shared parameters again.
  void has_shared();
  /// It leaves, or could not join.
  void leave();
  void supersede(const caf::error& error);

  /// Why a request cannot be sent; nothing if it can.
  /// @param reachable whether all shards are connected and have admitted the worker
  caf::error refusal_of(const std::string& request, bool reachable) const;
  caf::error refusal_of(const PushId& id, bool reachable) const;
  caf::error refusal_of(const Push& push, bool reachable) const;
  caf::error refusal_of_size(const Block& values, const Fragment& fragment = {}) const;
  static caf::error unreachable();
  const caf::error& superseded() const { return superseded_; } ///< nothing: it is not

  /// The shard that holds all of a parameter.
  caf::expected<std::size_t> shard_with(const std::string& parameter, bool reachable) const;

  const Join& join() const { return join_; } ///< as the worker sent it
  const ShardMap& map() const { return map_; }
  std::uint64_t incarnation() const { return incarnation_; } ///< known to the worker

private:
  WorkerId worker_ = 0;
  std::size_t shards_ = 1;
  State state_ = State::absent;
  Join join_;
  ShardMap map_;
  std::uint64_t incarnation_ = 0;
  caf::error superseded_;
};

} // namespace troupe
