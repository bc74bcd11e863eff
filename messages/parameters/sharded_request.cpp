#include "messages/parameters/sharded_request.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

/// Creates the part of a request for one shard.
struct ForShard {
  const ShardedRequest& request;
  std::size_t shard;
  const ShardMap& map;
  WorkerId worker;
  std::uint64_t incarnation;

  using Part = std::optional<ShardRequest>;

  const std::optional<Parameters>& first() const { return request.answers.front(); }

  /// The values of one worker everywhere: the first to create them at shard 0 also does at the
  /// others.
  Part operator()(const CreateAll& create) const {
    if (shard > 0 && !first())
      return {};
    if (shard > 0 && !first()->created && request.tries < ShardedRequest::most_tries)
      return Pull{worker};
    return CreateIfAbsent{worker, map.part_of(create.values, shard),
                          create.main_first && shard == 0};
  }
  Part operator()(const PullAll&) const { return Pull{worker}; }
  Part operator()(const RefetchAll&) const { return Pull{worker}; }
  Part operator()(const AwaitAll& await) const {
    if (shard == 0)
      return Await{worker, await.after};
    return first() ? Part{Pull{worker}} : Part{};
  }
  Part operator()(const ExchangeAll& exchange) const {
    auto push = exchange.push;
    push.id.incarnation = incarnation;
    if (map.shards() == 1)
      return Exchange{std::move(push)};
    push.fragment = map.fragment_at(shard, exchange.push.fragment);
    const auto parts = exchange.push.fragment.is_whole() ? map : map.within(exchange.push.fragment);
    push.values = parts.part_of(exchange.push.values, shard);
    push.residual = parts.part_of(exchange.push.residual, shard);
    push.received = parts.part_of(exchange.push.received, shard);
    return Exchange{std::move(push)};
  }
};

} // namespace

bool ShardedRequest::main_first() const {
  const auto* create = std::get_if<CreateAll>(&what);
  return create != nullptr && create->main_first;
}

Fragment ShardedRequest::fragment() const {
  const auto* exchange = std::get_if<ExchangeAll>(&what);
  return exchange != nullptr ? exchange->push.fragment : Fragment{};
}

std::optional<ShardRequest> ShardedRequest::for_shard(std::size_t shard, const ShardMap& map,
                                                      WorkerId worker,
                                                      std::uint64_t incarnation) const {
  return std::visit(ForShard{*this, shard, map, worker, incarnation}, what);
}

void ShardedRequest::send_again() {
  sent.assign(sent.size(), false);
  answers.assign(answers.size(), std::nullopt);
}

void ShardedRequest::ask_again() {
  ++tries;
  if (awaits()) // that version exists by now
    what = PullAll{};
  send_again();
}

ShardedRequest& RequestsInFlight::add(decltype(ShardedRequest::what) what, double now) {
  auto& request = requests_.emplace_back();
  request.id = request.ticket = ++tickets_;
  request.what = std::move(what);
  request.since = now;
  request.sent.assign(shards_, false);
  request.answers.assign(shards_, std::nullopt);
  return request;
}

ShardedRequest* RequestsInFlight::find(std::uint64_t ticket) {
  const auto found = std::find_if(requests_.begin(), requests_.end(),
                                  [&](const auto& one) { return one.ticket == ticket; });
  return found == requests_.end() ? nullptr : &*found;
}

void RequestsInFlight::erase(const ShardedRequest& request) {
  requests_.remove_if([&](const auto& one) { return &one == &request; });
}

std::vector<std::uint64_t> RequestsInFlight::tickets() const {
  std::vector<std::uint64_t> tickets;
  for (const auto& request : requests_)
    tickets.push_back(request.ticket);
  return tickets;
}

bool RequestsInFlight::is_due(const ShardedRequest& request, std::size_t shard) const {
  if (request.sent[shard] || request.answers[shard])
    return false;
  if (!request.pushes())
    return true;
  for (const auto& earlier : requests_) {
    if (&earlier == &request)
      break;
    if (earlier.given_up && !earlier.answers[shard])
      return false;
  }
  return true;
}

void RequestsInFlight::lose(std::size_t shard) {
  for (auto& request : requests_)
    if (!request.answers[shard])
      request.sent[shard] = false;
}

void RequestsInFlight::rejoin() {
  // No request waits for the pushes that a holder lacked when it declared the worker lost.
  std::erase_if(requests_, [](const auto& request) { return request.given_up; });
  for (auto& request : requests_)
    if (request.pushes()) {
      request.what = RefetchAll{};
      request.ticket = ++tickets_;
      request.send_again();
    }
}

} // namespace troupe
