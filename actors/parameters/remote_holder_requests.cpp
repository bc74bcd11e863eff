// How the remote holder carries requests for parameters to all shards.
#include "actors/parameters/remote_holder_state.hpp"
#include "messages/requests/error.hpp"

#include <algorithm>

namespace troupe {

RemoteHolderState::Operation& RemoteHolderState::add(Kind kind) {
  auto& operation = operations_.emplace_back();
  operation.ticket = ++tickets_;
  operation.kind = kind;
  operation.since = now();
  operation.sent.assign(shards_.size(), false);
  operation.answers.assign(shards_.size(), std::nullopt);
  return operation;
}

caf::result<Parameters> RemoteHolderState::begin_operation(Operation& operation) {
  operation.promise = self_->make_response_promise<Parameters>();
  auto promise = operation.promise;
  send_all();
  return promise;
}

caf::error RemoteHolderState::out_of_reach() {
  return fail(Error::unavailable, "the parameter holder is out of reach for now");
}

caf::error RemoteHolderState::cannot(const std::string& request) const {
  if (superseded_)
    return superseded_;
  if (!join_)
    return fail(Error::not_joined, "worker " + std::to_string(options_.worker) + " sends " + request
                                     + " but has not joined; send Join");
  if (!reachable() && joins_ > 0 && !joining_)
    return out_of_reach();
  return {};
}

caf::result<Parameters> RemoteHolderState::create(const CreateIfAbsent& create) {
  if (auto error = cannot("CreateIfAbsent");
      error && !(create.main_first && error == Error::unavailable))
    return error;
  if (auto error = check_size(create.values))
    return error;
  auto& operation = add(Kind::create);
  operation.values = create.values;
  operation.main_first = create.main_first;
  return begin_operation(operation);
}

caf::result<Parameters> RemoteHolderState::pull() {
  if (auto error = cannot("Pull"))
    return error;
  return begin_operation(add(Kind::pull));
}

caf::result<Parameters> RemoteHolderState::await(Version after) {
  if (auto error = cannot("Await"); error && error != Error::unavailable)
    return error;
  auto& operation = add(Kind::await);
  operation.after = after;
  return begin_operation(operation);
}

caf::error RemoteHolderState::check(const PushId& id) const {
  if (auto error = cannot("a push"))
    return error;
  if (id.worker != options_.worker)
    return fail(Error::not_joined, "push " + std::to_string(id.number) + " is of worker "
                                     + std::to_string(id.worker) + ", but worker "
                                     + std::to_string(options_.worker)
                                     + " has joined here; send Join");
  if (id.incarnation != joins_)
    return fail(Error::stale, "push " + std::to_string(id.number) + " of worker "
                                + std::to_string(id.worker) + " is from its incarnation "
                                + std::to_string(id.incarnation) + ", the current one is "
                                + std::to_string(joins_)
                                + "; it is not applied: pull and continue from there");
  return {};
}

caf::error RemoteHolderState::check_size(const Block& values) const {
  if (values.size() == join_->layout.size())
    return {};
  return fail(Error::shape_mismatch, "worker " + std::to_string(options_.worker) + " sends "
                                       + std::to_string(values.size())
                                       + " parameters, its model has "
                                       + std::to_string(join_->layout.size()));
}

caf::error RemoteHolderState::check_residual(const Push& push) const {
  return push.residual.empty() ? caf::error{} : check_size(push.residual);
}

caf::result<Parameters> RemoteHolderState::exchange(Exchange& exchange) {
  if (auto error = check(exchange.push.id))
    return error;
  if (auto error = check_size(exchange.push.values))
    return error;
  if (auto error = check_residual(exchange.push))
    return error;
  auto& operation = add(Kind::exchange);
  operation.push = std::move(exchange.push);
  operation.refetch = stale_;
  return begin_operation(operation);
}

caf::result<Applied> RemoteHolderState::push(Push& push) {
  if (auto error = check(push.id))
    return error;
  if (auto error = check_size(push.values))
    return error;
  if (auto error = check_residual(push))
    return error;
  auto& operation = add(Kind::exchange);
  operation.push = std::move(push);
  operation.refetch = stale_;
  operation.applied = self_->make_response_promise<Applied>();
  auto promise = *operation.applied;
  send_all();
  return promise;
}

// -- to the shards --------------------------------------------------------------------------------

void RemoteHolderState::send_all() {
  std::vector<std::uint64_t> tickets;
  for (const auto& operation : operations_)
    tickets.push_back(operation.ticket);
  for (auto ticket : tickets)
    for (std::size_t shard = 0; shard < shards_.size(); ++shard)
      if (auto operation = find(ticket); operation != operations_.end() && !operation->sent[shard]
                                         && !operation->answers[shard] && shards_[shard].route
                                         && shards_[shard].incarnation != 0)
        send(*operation, shard);
}

void RemoteHolderState::send(Operation& operation, std::size_t shard) {
  const auto& first = operation.answers.front();
  switch (operation.kind) {
  case Kind::create:
    // One worker's values everywhere: whoever was first at shard 0 creates the others, too.
    if (shard > 0 && !first)
      return;
    if (shard > 0 && !first->created && operation.tries < most_tries)
      return request(operation, shard, Pull{options_.worker});
    return request(operation, shard,
                   CreateIfAbsent{options_.worker, map_.part_of(operation.values, shard),
                                  operation.main_first && shard == 0});
  case Kind::await:
    if (shard > 0 && !first)
      return;
    if (shard > 0)
      return request(operation, shard, Pull{options_.worker});
    return request(operation, shard, Await{options_.worker, operation.after});
  case Kind::pull: return request(operation, shard, Pull{options_.worker});
  case Kind::exchange: {
    if (operation.refetch)
      return request(operation, shard, Pull{options_.worker});
    if (waits_behind(operation, shard))
      return;
    Push push = operation.push;
    push.id.incarnation = shards_[shard].incarnation;
    push.values = map_.part_of(operation.push.values, shard);
    if (!push.residual.empty())
      push.residual = map_.part_of(operation.push.residual, shard);
    return request(operation, shard, Exchange{std::move(push)});
  }
  }
}

template <class Request>
void RemoteHolderState::request(Operation& operation, std::size_t shard, const Request& request) {
  operation.sent[shard] = true;
  const auto ticket = operation.ticket;
  const auto way = shards_[shard].route->bulk;
  self_->request(way, caf::infinite, request)
    .then([this, ticket, shard](Parameters& parameters) { answered(ticket, shard, parameters); },
          [this, ticket, shard, address = way.address()](const caf::error& error) {
            const auto& route = shards_[shard].route;
            if (route
                && route->bulk.address() == address) // of an earlier way: what follows is known
              failed(ticket, shard, error);
          });
}

/// An operation may have waited long for other workers: only what the outage lasts counts. Without
/// the first parameters a worker cannot go on alone, so it looks for them as it did for a way.
void RemoteHolderState::give_up_late() {
  if (reachable())
    return;
  for (auto one = operations_.begin(); one != operations_.end();) {
    const auto operation = one++;
    const auto since = std::max(operation->since, out_since_.value_or(operation->since));
    const auto patience = operation->main_first ? options_.join_deadline : options_.resend_deadline;
    if (operation->kind == Kind::await || operation->given_up || now() - since < patience)
      continue;
    operation->sent.assign(shards_.size(), false); // an answer may be what was lost
    let_go(operation, operation->main_first ? no_way_found() : out_of_reach());
  }
}

bool RemoteHolderState::pushes(const Operation& operation) {
  return operation.kind == Kind::exchange && !operation.refetch;
}

bool RemoteHolderState::waits_behind(const Operation& operation, std::size_t shard) const {
  for (const auto& earlier : operations_)
    if (&earlier == &operation)
      return false;
    else if (earlier.given_up && !earlier.answers[shard])
      return true;
  return false;
}

RemoteHolderState::Operations::iterator RemoteHolderState::find(std::uint64_t ticket) {
  return std::find_if(operations_.begin(), operations_.end(),
                      [&](const Operation& one) { return one.ticket == ticket; });
}

} // namespace troupe
