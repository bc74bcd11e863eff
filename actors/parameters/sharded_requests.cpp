#include "actors/parameters/sharded_requests.hpp"

#include "messages/requests/error.hpp"
#include "messages/timing/clocks.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

void ShardedRequests::begin(RemoteHolderActor::pointer self, ShardConnections& connections,
                            HolderMembership& membership, const RemoteHolderOptions& options,
                            WorkerLog log, std::function<void()> forgotten) {
  self_ = self;
  connections_ = &connections;
  membership_ = &membership;
  options_ = options;
  log_ = std::move(log);
  forgotten_ = std::move(forgotten);
  in_flight_ = RequestsInFlight{connections.shards()};
  marks_ = ShardMarks{connections.shards()};
}

double ShardedRequests::now() const { return seconds_now(self_); }

caf::typed_response_promise<Parameters> ShardedRequests::start(What what) {
  auto promise = self_->make_response_promise<Parameters>();
  replies_.emplace(in_flight_.add(std::move(what), now()).id, promise);
  send_all();
  return promise;
}

caf::typed_response_promise<Applied> ShardedRequests::start_push(What what) {
  auto promise = self_->make_response_promise<Applied>();
  replies_.emplace(in_flight_.add(std::move(what), now()).id, promise);
  send_all();
  return promise;
}

// -- to the shards --------------------------------------------------------------------------------

void ShardedRequests::send_all() {
  for (const auto ticket : in_flight_.tickets())
    for (std::size_t shard = 0; shard < connections_->shards(); ++shard)
      if (auto* request = in_flight_.find(ticket);
          request && connections_->link(shard).is_usable() && in_flight_.is_due(*request, shard))
        send(*request, shard);
}

void ShardedRequests::send(ShardedRequest& request, std::size_t shard) {
  const auto& link = connections_->link(shard);
  auto part = request.for_shard(shard, membership_->map(), options_.worker, link.incarnation());
  if (!part)
    return;
  request.sent[shard] = true;
  const auto ticket = request.ticket;
  const auto holder = link.route()->blocks;
  std::visit(
    [&](auto& message) {
      self_->request(holder, caf::infinite, std::move(message))
        .then(
          [this, ticket, shard](Parameters& parameters) { answered(ticket, shard, parameters); },
          [this, ticket, shard, address = holder.address()](const caf::error& error) {
            if (connections_->link(shard).is_block(
                  address)) // otherwise its loss was handled already
              failed(ticket, shard, error);
          });
    },
    *part);
}

void ShardedRequests::answered(std::uint64_t ticket, std::size_t shard, Parameters& parameters) {
  auto* request = in_flight_.find(ticket);
  if (!request)
    return;
  const auto& map = membership_->map();
  const auto size = map.fragment_at(shard, request->fragment()).size_in(map.range(shard).size());
  if (parameters.values.size() != size)
    return give_up(*request, fail(Error::shape_mismatch,
                                  connections_->name(shard) + " answers "
                                    + std::to_string(parameters.values.size())
                                    + " parameters, its range has " + std::to_string(size)));
  connections_->link(shard).set_seen(parameters.version);
  const auto first = shard == 0 && !request->answers.front();
  request->answers[shard] = std::move(parameters);
  if (is_complete(request->answers))
    complete(*request);
  else if (first)
    send_all();
}

void ShardedRequests::failed(std::uint64_t ticket, std::size_t shard, const caf::error& error) {
  auto* request = in_flight_.find(ticket);
  if (error.category() != caf::atom("troupe") || error == Error::unavailable) {
    connections_->lose(shard, sentence(error));
  } else if (!request) {
    return;
  } else if (error == Error::stale || error == Error::not_joined) {
    request->sent[shard] = false;
    forgotten_();
  } else if (error == Error::not_created && request->creates()) {
    ++request->tries; // another worker is creating them
    request->sent[shard] = false;
  } else {
    give_up(*request, error);
  }
}

// -- to the worker --------------------------------------------------------------------------------

void ShardedRequests::complete(ShardedRequest& request) {
  auto& answers = request.answers;
  if (request.given_up) {
    in_flight_.erase(request);
    return send_all(); // those that have waited behind it
  }
  const auto pushed = request.pushes();
  if (!pushed && !marks_.fit_together(answers)) {
    // A push has reached one shard and not yet the other: parts of one version will be there soon.
    if (request.tries < ShardedRequest::most_tries)
      return request.ask_again();
    log_.say(
      Level::warning,
      "the parameters of the " + std::to_string(answers.size())
        + " holders have different versions, since a push has reached only some of them; each "
          "range has one version, and they are used as they are");
  }
  if (!pushed)
    marks_.accept(answers);
  const auto& map = membership_->map();
  const auto fragment = request.fragment();
  auto whole = combine_answers(answers, fragment.is_whole() ? map : map.within(fragment));
  whole.rejoined = request.refetches();
  if (request.refetches() || request.creates())
    membership_->has_shared();
  auto reply = std::move(replies_.extract(request.id).mapped());
  in_flight_.erase(request);
  if (auto* applied = std::get_if<caf::typed_response_promise<Applied>>(&reply))
    applied->deliver(Applied{whole.version, whole.staleness});
  else
    std::get<caf::typed_response_promise<Parameters>>(reply).deliver(std::move(whole));
}

void ShardedRequests::refuse(const ShardedRequest& request, const caf::error& error) {
  auto reply = replies_.extract(request.id);
  if (reply) // otherwise the worker was answered already
    std::visit([&](auto& promise) { promise.deliver(error); }, reply.mapped());
}

void ShardedRequests::give_up(const ShardedRequest& request, const caf::error& error) {
  refuse(request, error);
  in_flight_.erase(request);
}

void ShardedRequests::release(ShardedRequest& request, const caf::error& error) {
  if (connections_->shards() == 1 || !request.pushes())
    return give_up(request, error);
  request.given_up = true;
  refuse(request, error);
}

void ShardedRequests::give_up_all(const caf::error& error) {
  for (const auto ticket : in_flight_.tickets())
    if (const auto* request = in_flight_.find(ticket))
      give_up(*request, error);
}

/// A request may have waited long for other workers, so only the time of the outage counts. Without
/// the first parameters a worker cannot continue alone, so it waits for them as long as for a
/// connection.
void ShardedRequests::give_up_overdue() {
  if (connections_->reachable())
    return;
  for (const auto ticket : in_flight_.tickets()) {
    auto* request = in_flight_.find(ticket);
    if (!request || request->awaits() || request->given_up)
      continue;
    const auto since
      = std::max(request->since, connections_->outage().since().value_or(request->since));
    const auto first = request->main_first();
    if (now() - since < (first ? options_.join_deadline : options_.resend_deadline))
      continue;
    request->sent.assign(request->sent.size(), false); // maybe the answer was lost
    release(*request, first ? connections_->connect_error() : HolderMembership::unreachable());
  }
}

bool ShardedRequests::waits_for_main() const {
  const auto& all = in_flight_.all();
  return std::any_of(all.begin(), all.end(), [](const auto& one) { return one.main_first(); });
}

bool ShardedRequests::push_waits(const ShardedRequest& request, double seconds) const {
  return request.pushes() && !request.given_up && now() - request.since >= seconds;
}

bool ShardedRequests::any_push_waits(double seconds) const {
  const auto& all = in_flight_.all();
  return std::any_of(all.begin(), all.end(),
                     [&](const auto& one) { return push_waits(one, seconds); });
}

void ShardedRequests::release_pushes(double seconds) {
  for (const auto ticket : in_flight_.tickets())
    if (auto* request = in_flight_.find(ticket); request && push_waits(*request, seconds))
      release(*request, HolderMembership::unreachable());
}

} // namespace troupe
