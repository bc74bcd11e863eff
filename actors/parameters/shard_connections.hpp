#pragma once

#include "actors/parameters/remote_holder_options.hpp"
#include "actors/parameters/worker_log.hpp"
#include "messages/cluster/shard_link.hpp"
#include "messages/parameters/shard_outage.hpp"

#include <functional>
#include <string>
#include <vector>

namespace troupe {

/// Keeps a worker connected to all shards, and a member there: connects, joins, renews leases, and
/// does so again when a connection is lost.
class ShardConnections {
public:
  /// Callbacks for changes that affect the worker; set once.
  struct Outcomes {
    std::function<void()> joined; ///< all shards are connected and have admitted the worker
    std::function<void()> usable; ///< a connection can carry requests; waiting ones can be sent
    std::function<void(std::size_t shard, const caf::error& error)>
      refused;                       ///< a shard refused to let it join
    std::function<void()> forgotten; ///< a holder no longer knows the worker: see `join_again`
    std::function<void(const Renewed& renewed)> renewed; ///< by shard 0
    std::function<void(std::size_t shard)> lost;
    std::function<bool()> trains_alone; ///< whether the worker continues in an outage
  };

  void begin(RemoteHolderActor::pointer self, Connector connector,
             const RemoteHolderOptions& options, WorkerLog log, Outcomes outcomes);

  /// Joins all shards for a new training. @param joins by shard
  void join(std::vector<Join> joins);
  /// The worker joins all shards again. @returns false if it is doing so already, or has left.
  bool join_again();
  void leave();
  /// Stops keeping the worker a member.
  void forget() { joins_.clear(); }

  void poll();
  void renew(std::size_t shard);
  void connection_ended(const caf::down_msg& down);
  void lose(std::size_t shard, const std::string& why);

  ShardLink& link(std::size_t shard) { return links_[shard]; }
  const ShardLink& link(std::size_t shard) const { return links_[shard]; }
  std::size_t shards() const { return links_.size(); }
  bool reachable() const; ///< all shards are connected and have admitted the worker
  bool created() const;   ///< all had parameters when the worker joined
  std::string name(std::size_t shard) const;
  ShardOutage& outage() { return outage_; }

  /// Reports which holders a joining worker waits for.
  void report_waiting();
  caf::error connect_error() const;

private:
  double now() const;
  void connect(std::size_t shard);
  void connected(std::size_t shard, const ShardRoute& route);
  void join_shard(std::size_t shard);
  void joined(std::size_t shard, const Joined& answer);
  void check_outage(std::size_t shard);

  RemoteHolderActor::pointer self_ = nullptr;
  Connector connector_;
  RemoteHolderOptions options_;
  WorkerLog log_;
  Outcomes outcomes_;
  std::vector<ShardLink> links_;
  std::vector<Join> joins_; ///< by shard; empty: the worker is no member
  ShardOutage outage_;
};

} // namespace troupe
