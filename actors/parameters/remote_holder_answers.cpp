// How the remote holder puts the answers of all shards together.
#include "actors/parameters/remote_holder_state.hpp"
#include "messages/requests/error.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

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
  shards_[shard].seen = std::max(shards_[shard].seen, parameters.version);
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

bool RemoteHolderState::fit_together(const Answers& answers) const {
  for (std::size_t shard = 0; shard < answers.size(); ++shard)
    if (answers[shard]->mark - answers.front()->mark != shards_[shard].drift)
      return false;
  return true;
}

Parameters RemoteHolderState::put_together(Answers& answers) const {
  Parameters whole;
  whole.version = answers.front()->version;
  whole.created = answers.front()->created;
  whole.mark = answers.front()->mark;
  whole.residual = joined_residual(answers);
  std::vector<Block> parts;
  for (auto& answer : answers) {
    whole.staleness = std::max(whole.staleness, answer->staleness);
    whole.not_before = std::max(whole.not_before, answer->not_before);
    parts.push_back(std::move(answer->values));
  }
  whole.values = map_.joined(std::move(parts));
  return whole;
}

void RemoteHolderState::ask_again(Operation& operation) {
  ++operation.tries;
  operation.sent.assign(shards_.size(), false);
  if (operation.kind == Kind::await)
    operation.kind = Kind::pull;
  operation.answers.assign(shards_.size(), std::nullopt);
}

void RemoteHolderState::complete(Operations::iterator operation) {
  auto& answers = operation->answers;
  if (operation->given_up) {
    operations_.erase(operation);
    return send_all(); // what has waited behind it
  }
  const auto pushed = pushes(*operation);
  if (!pushed && !fit_together(answers)) {
    // Somebody's push has reached one shard and not yet the other: parts of one version are soon
    // there.
    if (operation->tries < most_tries)
      return ask_again(*operation);
    say(Level::warning,
        "the parameters of the " + std::to_string(shards_.size())
          + " holders are of different versions: a push has reached some of them only; each range "
            "is of one version, and they are taken as they are");
  }
  if (!pushed) // what has not come by now never will: the push of a worker that was lost on the way
    for (std::size_t shard = 0; shard < answers.size(); ++shard)
      shards_[shard].drift = answers[shard]->mark - answers.front()->mark;
  auto whole = put_together(answers);
  whole.rejoined = operation->refetch;
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
  if (!done.given_up)
    refuse(done, error);
}

void RemoteHolderState::let_go(Operations::iterator operation, const caf::error& error) {
  if (shards_.size() == 1 || !pushes(*operation))
    return give_up(operation, error);
  operation->given_up = true;
  refuse(*operation, error);
}

void RemoteHolderState::refuse(Operation& operation, const caf::error& error) {
  if (operation.applied)
    operation.applied->deliver(error);
  else
    operation.promise.deliver(error);
}

} // namespace troupe
