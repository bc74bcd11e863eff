// A worker's request for parameters, which goes to all holders that keep a range of them.
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
/// An exchange that was refused, since its worker was taken for lost: it gets the present
/// parameters instead.
struct RefetchAll {};

/// What one shard gets of it.
using ShardRequest = std::variant<CreateIfAbsent, Pull, Await, Exchange>;

struct ShardedRequest {
  static constexpr unsigned most_tries = 20; ///< for parts that fit together, or other values

  std::uint64_t id = 0;     ///< of the worker's request
  std::uint64_t ticket = 0; ///< of its present try: answers to earlier ones are void
  std::variant<CreateAll, PullAll, AwaitAll, ExchangeAll, RefetchAll> what;
  double since = 0; ///< seconds on the clock
  unsigned tries = 0;
  std::vector<bool> sent; ///< by shard
  ShardAnswers answers;
  /// The worker has had its answer: that it comes too late. The other shards have the push or get
  /// it all the same: if one of them missed it, the rounds of the ranges would be shifted against
  /// each other from then on.
  bool given_up = false;

  bool pushes() const { return std::holds_alternative<ExchangeAll>(what); }
  bool refetches() const { return std::holds_alternative<RefetchAll>(what); }
  bool creates() const { return std::holds_alternative<CreateAll>(what); }
  bool awaits() const { return std::holds_alternative<AwaitAll>(what); }
  /// Its answer waits for the main worker's first parameters.
  bool main_first() const;

  /// What a shard is to get now; nothing where shard 0 has to answer first.
  /// @param incarnation of the worker at that shard
  std::optional<ShardRequest> for_shard(std::size_t shard, const ShardMap& map, WorkerId worker,
                                        std::uint64_t incarnation) const;

  /// All shards are asked again, since their answers do not fit together.
  void ask_again();
  void send_again(); ///< to all shards, whose answers so far are void
};

/// A worker's requests that are in flight, in their order.
class RequestsInFlight {
public:
  explicit RequestsInFlight(std::size_t shards) : shards_(shards) {}

  ShardedRequest& add(decltype(ShardedRequest::what) what, double now);
  /// @returns null where it has been answered.
  ShardedRequest* find(std::uint64_t ticket);
  void erase(const ShardedRequest& request);

  /// Of all requests: what is done for one of them may erase others.
  std::vector<std::uint64_t> tickets() const;
  const std::list<ShardedRequest>& all() const { return requests_; }

  /// Whether a request is to be sent to a shard: it is not there yet, and no push before it is in
  /// flight to that shard. Rounds take the pushes of a worker one after the other.
  bool is_due(const ShardedRequest& request, std::size_t shard) const;

  /// The connection to a shard was lost: what it has not answered is to be sent again.
  void lose(std::size_t shard);
  /// A holder has taken the worker for lost: its pushes are void, and those that were given up are
  /// gone.
  void rejoin();

private:
  std::size_t shards_;
  std::list<ShardedRequest> requests_;
  std::uint64_t tickets_ = 0;
};

} // namespace troupe
