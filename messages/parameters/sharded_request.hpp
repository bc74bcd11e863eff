// A worker's request for parameters, sent to all holders that hold a range of them.
#pragma once

#include "messages/parameters/shard_answers.hpp"

#include <cstdint>
#include <list>
#include <optional>
#include <variant>
#include <vector>

namespace troupe {

struct CreateAll {
  Block values;
  bool main_first = false;
};
struct PullAll {};
struct AwaitAll {
  Version after = 0;
};
struct ExchangeAll {
  Push push;
};
/// An exchange that was refused because its worker was declared lost: it gets the present
/// parameters instead.
struct RefetchAll {};

/// The part of a request for one shard.
using ShardRequest = std::variant<CreateIfAbsent, Pull, Await, Exchange>;

struct ShardedRequest {
  static constexpr unsigned most_tries = 20; ///< attempts to get parts that fit together

  std::uint64_t id = 0;     ///< of the worker's request
  std::uint64_t ticket = 0; ///< of its present attempt; answers to earlier ones are void
  std::variant<CreateAll, PullAll, AwaitAll, ExchangeAll, RefetchAll> what;
  double since = 0; ///< seconds on the clock
  unsigned tries = 0;
  std::vector<bool> sent; ///< by shard
  ShardAnswers answers;
  /// The worker was already answered that it comes too late. The other shards still get the push:
  /// if one of them missed it, the rounds of the ranges would differ from then on.
  bool given_up = false;

  bool pushes() const { return std::holds_alternative<ExchangeAll>(what); }
  bool refetches() const { return std::holds_alternative<RefetchAll>(what); }
  bool creates() const { return std::holds_alternative<CreateAll>(what); }
  bool awaits() const { return std::holds_alternative<AwaitAll>(what); }
  /// Whether its answer waits for the main worker's first parameters.
  bool main_first() const;
  Fragment fragment() const; ///< that its answer has

  /// The part for a shard; nothing if shard 0 has to answer first.
  /// @param incarnation of the worker at that shard
  std::optional<ShardRequest> for_shard(std::size_t shard, const ShardMap& map, WorkerId worker,
                                        std::uint64_t incarnation) const;

  /// Asks all shards again, since their answers do not fit together.
  void ask_again();
  void send_again(); ///< to all shards; their answers so far are void
};

/// A worker's requests in flight, in order.
class RequestsInFlight {
public:
  explicit RequestsInFlight(std::size_t shards) : shards_(shards) {}

  ShardedRequest& add(decltype(ShardedRequest::what) what, double now);
  /// @returns null if it was answered.
  ShardedRequest* find(std::uint64_t ticket);
  void erase(const ShardedRequest& request);

  /// Of all requests. Handling one of them may erase others.
  std::vector<std::uint64_t> tickets() const;
  const std::list<ShardedRequest>& all() const { return requests_; }

  /// Whether to send a request to a shard: it was not sent there yet, and no earlier push is in
  /// flight to that shard. Rounds take the pushes of a worker in order.
  bool is_due(const ShardedRequest& request, std::size_t shard) const;

  /// The connection to a shard was lost: unanswered requests are sent again.
  void lose(std::size_t shard);
  /// A holder has declared the worker lost: its pushes are void, and given-up ones are erased.
  void rejoin();

private:
  std::size_t shards_;
  std::list<ShardedRequest> requests_;
  std::uint64_t tickets_ = 0;
};

} // namespace troupe
