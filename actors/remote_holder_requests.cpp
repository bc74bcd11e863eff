// How the remote holder carries requests for parameters to all shards and puts the answers
// together.
#include "troupe/actors/remote_holder_state.hpp"
#include "troupe/messages/error.hpp"
#include "troupe/messages/pass_error.hpp"

#include <algorithm>
#include <chrono>

namespace troupe {

namespace {

constexpr unsigned most_tries = 20; // for parts that fit together, or somebody else's values

} // namespace

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
  if (!join_)
    return fail(Error::not_joined, "worker " + std::to_string(options_.worker) + " sends " + request
                                     + " but has not joined; send Join");
  if (!reachable() && joins_ > 0 && !joining_)
    return out_of_reach();
  return {};
}

caf::result<Parameters> RemoteHolderState::create(const CreateIfAbsent& create) {
  if (auto error = cannot("CreateIfAbsent"))
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
    return fail(Error::stale,
                "push " + std::to_string(id.number) + " of worker " + std::to_string(id.worker)
                  + " is from its incarnation " + std::to_string(id.incarnation) + ", now is "
                  + std::to_string(joins_) + "; it is not applied: pull and go on from there");
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

RemoteHolderState::Operations::iterator RemoteHolderState::find(std::uint64_t ticket) {
  return std::find_if(operations_.begin(), operations_.end(),
                      [&](const Operation& one) { return one.ticket == ticket; });
}

void RemoteHolderState::answered(std::uint64_t ticket, std::size_t shard, Parameters& parameters) {
  const auto operation = find(ticket);
  if (operation == operations_.end())
    return;
  if (parameters.values.size() != map_.range(shard).size())
    return give_up(operation,
                   fail(Error::shape_mismatch, shard_name(shard) + " answers "
                                                 + std::to_string(parameters.values.size())
                                                 + " parameters, its range has "
                                                 + std::to_string(map_.range(shard).size())));
  const auto first = shard == 0 && !operation->answers.front();
  operation->answers[shard] = std::move(parameters);
  const auto& answers = operation->answers;
  if (std::all_of(answers.begin(), answers.end(), [](const auto& one) { return one.has_value(); }))
    complete(operation);
  else if (first)
    send_all();
}

void RemoteHolderState::failed(std::uint64_t ticket, std::size_t shard, const caf::error& error) {
  const auto operation = find(ticket);
  if (error.category() != caf::atom("troupe") || error == Error::unavailable) {
    lose(shard, sentence(error));
  } else if (operation == operations_.end()) {
    return;
  } else if (error == Error::stale || error == Error::not_joined) {
    operation->sent[shard] = false;
    rejoin();
  } else if (error == Error::not_created && operation->kind == Kind::create) {
    ++operation->tries; // its creator is on the way
    operation->sent[shard] = false;
  } else {
    give_up(operation, error);
  }
}

Block RemoteHolderState::joined_residual(const Answers& answers) const {
  const auto exact = [](const auto& one) { return one->residual.empty(); };
  if (std::all_of(answers.begin(), answers.end(), exact))
    return {};
  std::vector<Block> parts;
  for (std::size_t shard = 0; shard < answers.size(); ++shard)
    parts.push_back(exact(answers[shard]) ? Block{map_.range(shard).size()}
                                          : answers[shard]->residual);
  return map_.joined(std::move(parts));
}

void RemoteHolderState::complete(Operations::iterator operation) {
  auto& answers = operation->answers;
  const auto& first = *answers.front();
  auto fits = true;
  for (std::size_t shard = 0; shard < answers.size(); ++shard)
    fits = fits && answers[shard]->mark - first.mark == shards_[shard].drift;
  const auto pushes = operation->kind == Kind::exchange && !operation->refetch;
  if (!fits && !pushes && operation->tries < most_tries) {
    // Somebody's push has reached one shard and not yet the other: parts of one version are soon
    // there.
    ++operation->tries;
    operation->sent.assign(shards_.size(), false);
    if (operation->kind == Kind::await)
      operation->kind = Kind::pull;
    operation->answers.assign(shards_.size(), std::nullopt);
    return;
  }
  if (!fits && !pushes)
    say(Level::warning,
        "the parameters of the " + std::to_string(shards_.size())
          + " holders are of different versions: a push has reached some of them only; each range "
            "is of one version, and they are taken as they are");
  if (!pushes) // what has not come by now never will: the push of a worker that was lost on the way
    for (std::size_t shard = 0; shard < answers.size(); ++shard)
      shards_[shard].drift = answers[shard]->mark - first.mark;
  Parameters whole;
  whole.version = first.version;
  whole.created = first.created;
  whole.mark = first.mark;
  whole.rejoined = operation->refetch;
  std::vector<Block> parts;
  whole.residual = joined_residual(answers);
  for (auto& answer : answers) {
    whole.staleness = std::max(whole.staleness, answer->staleness);
    whole.not_before = std::max(whole.not_before, answer->not_before);
    parts.push_back(std::move(answer->values));
  }
  whole.values = map_.joined(std::move(parts));
  if (operation->refetch || operation->kind == Kind::create) // it has the shared parameters
    stale_ = false;
  auto done = std::move(*operation);
  operations_.erase(operation);
  if (done.applied)
    done.applied->deliver(Applied{whole.version, whole.staleness});
  else
    done.promise.deliver(std::move(whole));
}

void RemoteHolderState::give_up(Operations::iterator operation, const caf::error& error) {
  auto done = std::move(*operation);
  operations_.erase(operation);
  if (done.applied)
    done.applied->deliver(error);
  else
    done.promise.deliver(error);
}

// -- single parameters ----------------------------------------------------------------------------

template <class Answer, class Request>
caf::result<Answer> RemoteHolderState::forward(std::size_t shard, const Request& request) {
  auto promise = self_->template make_response_promise<Answer>();
  if (!shards_[shard].route) {
    promise.deliver(out_of_reach());
    return promise;
  }
  self_->request(shards_[shard].route->control, control_deadline, request)
    .then([promise](Answer& answer) mutable { promise.deliver(std::move(answer)); },
          pass_error(promise));
  return promise;
}

caf::expected<std::size_t> RemoteHolderState::shard_with(const std::string& parameter) const {
  if (!join_)
    return cannot("a part");
  for (std::size_t shard = 0; shard < shards_.size(); ++shard)
    if (map_.layout_of(shard).find(parameter) != nullptr)
      return shard;
  if (join_->layout.find(parameter) == nullptr)
    return fail(Error::unknown_name, "the holder has no parameter '" + parameter + "'");
  return fail(Error::invalid_options, "parameter '" + parameter
                                        + "' is cut between two shards; exchange it as a whole, or "
                                          "use one parameter holder");
}

caf::result<Part> RemoteHolderState::pull_part(const PullPart& pull) {
  const auto shard = shard_with(pull.selection.name);
  if (!shard)
    return shard.error();
  return forward<Part>(*shard, pull);
}

caf::result<Applied> RemoteHolderState::push_part(const PushPart& push) {
  if (auto error = check(push.id))
    return error;
  const auto shard = shard_with(push.selection.name);
  if (!shard)
    return shard.error();
  auto mapped = push;
  mapped.id.incarnation = shards_[*shard].incarnation;
  return forward<Applied>(*shard, mapped);
}

caf::result<HolderStatus> RemoteHolderState::status() {
  return forward<HolderStatus>(0, GetHolderStatus{});
}

} // namespace troupe
