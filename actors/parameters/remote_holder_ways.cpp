// How the remote holder comes by its ways to the shards, and what it does when it loses one.
#include "actors/parameters/remote_holder_state.hpp"
#include "base/text/duration.hpp"
#include "base/text/text.hpp"
#include "messages/requests/error.hpp"

#include <algorithm>
#include <chrono>

namespace troupe {

bool RemoteHolderState::reachable() const {
  return std::all_of(shards_.begin(), shards_.end(),
                     [](const Shard& shard) { return shard.route && shard.incarnation != 0; });
}

void RemoteHolderState::connect(std::size_t shard) {
  auto& to = shards_[shard];
  if (to.connecting)
    return;
  to.connecting = true;
  self_->request(connector_, caf::infinite, ConnectShard{shard})
    .then([this, shard](const ShardRoute& route) { connected(shard, route); },
          [this, shard](const caf::error& error) {
            auto& failed = shards_[shard];
            failed.connecting = false;
            failed.last_error = sentence(error);
            failed.try_from = now() + failed.back_off.next();
          });
}

void RemoteHolderState::connected(std::size_t shard, const ShardRoute& route) {
  auto& to = shards_[shard];
  to.connecting = false;
  to.back_off.reset();
  to.route = route;
  to.silent = 0;
  to.renewing = to.joining = false;
  self_->monitor(route.control);
  if (route.bulk.address() != route.control.address())
    self_->monitor(route.bulk);
  if (!join_)
    return;
  if (to.incarnation == 0)
    join_shard(shard);
  else
    renew(shard);
  outage_may_be_over(shard);
  send_all();
}

bool RemoteHolderState::is_connection(std::size_t shard, const caf::actor_addr& control) const {
  const auto& route = shards_[shard].route;
  return route && route->control.address() == control;
}

void RemoteHolderState::outage_may_be_over(std::size_t shard) {
  if (!reachable())
    return;
  if (out_since_ && outage_told_)
    say(Level::info,
        shard_name(shard) + " is reached again after " + rounded_length(now() - *out_since_));
  out_since_.reset();
  outage_told_ = false;
}

void RemoteHolderState::lose(std::size_t shard, const std::string& why) {
  auto& lost = shards_[shard];
  if (!lost.route)
    return;
  const auto name = shard_name(shard);
  self_->demonitor(lost.route->control.address());
  self_->demonitor(lost.route->bulk.address());
  self_->send(connector_, DropShard{shard});
  lost.route.reset();
  lost.renewing = lost.joining = false;
  lost.last_error = why;
  lost.try_from = now();
  for (auto& operation : operations_)
    if (!operation.answers[shard])
      operation.sent[shard] = false;
  if (!join_)
    return;
  if (ending_ && shard == 0) // whoever answers next may have been started anew
    ending_->at.reset();
  if (!out_since_)
    out_since_ = now();
  if (!outage_told_)
    say(Level::warning, name + " is out of reach: " + why
                          + (options_.is_reader || needs_first_parameters()
                               ? "; it is looked for"
                               : "; training goes on with the worker's own parameters, and the "
                                 "holder is looked for"));
  outage_told_ = true;
  connect(shard);
}

/// Others may have pushed to it by now: its version alone need not tell that it has begun anew.
void RemoteHolderState::speak_of_loss(std::size_t shard, const Joined& answer) {
  auto& from = shards_[shard];
  const auto anew = answer.restored != from.restored || answer.version < from.seen;
  if (anew && answer.created && answer.restored < from.seen) {
    const auto lost = from.seen - answer.restored;
    say(Level::warning, shard_name(shard) + " came back with version "
                          + std::to_string(answer.restored) + "; " + plural(lost, "version")
                          + " acknowledged after it " + (lost == 1 ? "is" : "are") + " lost");
  }
  from.restored = answer.restored;
  from.seen = answer.version;
}

bool RemoteHolderState::needs_first_parameters() const {
  return joining_ || std::any_of(operations_.begin(), operations_.end(), [](const Operation& one) {
           return one.main_first;
         });
}

void RemoteHolderState::connection_ended(const caf::down_msg& down) {
  for (std::size_t shard = 0; shard < shards_.size(); ++shard)
    if (const auto& route = shards_[shard].route;
        route && (route->control.address() == down.source || route->bulk.address() == down.source))
      lose(shard, "the connection has ended (" + sentence(down.reason) + ")");
}

void RemoteHolderState::speak_of_outage() {
  outage_told_ = true;
  for (std::size_t shard = 0; shard < shards_.size(); ++shard)
    if (!shards_[shard].route)
      say(Level::info,
          "waits for " + shard_name(shard) + ", at most "
            + print_duration(std::chrono::duration<double>(options_.join_deadline)) + ": "
            + (shards_[shard].last_error.empty() ? "no answer yet" : shards_[shard].last_error));
}

caf::error RemoteHolderState::no_way_found() const {
  std::string why;
  for (std::size_t shard = 0; shard < shards_.size(); ++shard)
    if (!shards_[shard].route)
      why += "; " + shard_name(shard) + ": " + shards_[shard].last_error;
  return fail(Error::unavailable,
              "no way to the parameters was found within "
                + print_duration(std::chrono::duration<double>(options_.join_deadline)) + why
                + "; is the holder running, and are its certificates from the same authority?");
}

} // namespace troupe
