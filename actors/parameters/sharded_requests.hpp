#pragma once

#include "actors/parameters/shard_connections.hpp"
#include "messages/parameters/holder_membership.hpp"
#include "messages/parameters/sharded_request.hpp"

#include <functional>
#include <map>
#include <variant>

namespace troupe {

/// Sends a worker's requests for parameters to all shards, again if a connection was lost, and
/// combines the answers.
class ShardedRequests {
public:
  /// @param connections, membership outlive this
  /// @param forgotten called if a holder no longer knows the worker
  void begin(RemoteHolderActor::pointer self, ShardConnections& connections,
             HolderMembership& membership, const RemoteHolderOptions& options, WorkerLog log,
             std::function<void()> forgotten);

  using What = decltype(ShardedRequest::what);

  caf::typed_response_promise<Parameters> start(What what);
  /// The same, but the answer only says that the push was applied.
  caf::typed_response_promise<Applied> start_push(What what);

  /// Sends all due requests to the reachable shards.
  void send_all();
  /// A connection was lost: requests that the shard has not answered are sent again.
  void lose(std::size_t shard) { in_flight_.lose(shard); }
  /// A holder has declared the worker lost: its pushes are void.
  void rejoin() { in_flight_.rejoin(); }

  bool waits_for_main() const; ///< whether a request waits for the first parameters
  /// Whether a push has waited for that many seconds.
  bool any_push_waits(double seconds) const;
  /// Answers the worker without the pushes that have waited for that many seconds.
  void release_pushes(double seconds);
  /// Gives up requests that have waited too long for a connection.
  void give_up_overdue();
  void give_up_all(const caf::error& error);

private:
  double now() const;
  void send(ShardedRequest& request, std::size_t shard);
  void answered(std::uint64_t ticket, std::size_t shard, Parameters& parameters);
  void failed(std::uint64_t ticket, std::size_t shard, const caf::error& error);
  void complete(ShardedRequest& request);
  /// Gives it up for the worker, but still sends a push to those of several holders that lack it.
  void release(ShardedRequest& request, const caf::error& error);
  void give_up(const ShardedRequest& request, const caf::error& error);
  void refuse(const ShardedRequest& request, const caf::error& error);
  bool push_waits(const ShardedRequest& request, double seconds) const;

  using Reply
    = std::variant<caf::typed_response_promise<Parameters>, caf::typed_response_promise<Applied>>;

  RemoteHolderActor::pointer self_ = nullptr;
  ShardConnections* connections_ = nullptr;
  HolderMembership* membership_ = nullptr;
  RemoteHolderOptions options_;
  WorkerLog log_;
  std::function<void()> forgotten_;
  RequestsInFlight in_flight_{1};
  std::map<std::uint64_t, Reply> replies_; ///< by request; those the worker still waits for
  ShardMarks marks_{1};
};

} // namespace troupe
