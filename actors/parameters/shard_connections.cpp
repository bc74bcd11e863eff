#include "actors/parameters/shard_connections.hpp"

#include "base/text/duration.hpp"
#include "base/text/text.hpp"
#include "messages/requests/error.hpp"
#include "messages/requests/request_within.hpp"
#include "messages/timing/clocks.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace troupe {

namespace {

constexpr auto join_deadline_of_shard = std::chrono::seconds{10};

bool is_own_error(const caf::error& error) { return error.category() == caf::atom("troupe"); }

} // namespace

void ShardConnections::begin(RemoteHolderActor::pointer self, Connector connector,
                             const RemoteHolderOptions& options, WorkerLog log, Outcomes outcomes) {
  self_ = self;
  connector_ = std::move(connector);
  options_ = options;
  log_ = std::move(log);
  outcomes_ = std::move(outcomes);
  links_.resize(std::max<std::size_t>(1, options.shards));
}

double ShardConnections::now() const { return seconds_now(self_); }

bool ShardConnections::reachable() const {
  return std::all_of(links_.begin(), links_.end(), [](const auto& one) { return one.is_usable(); });
}

bool ShardConnections::created() const {
  return std::all_of(links_.begin(), links_.end(), [](const auto& one) { return one.created(); });
}

std::string ShardConnections::name(std::size_t shard) const {
  auto text = std::string{"the parameter holder"};
  if (shards() > 1)
    text += " of shard " + std::to_string(shard);
  if (const auto* route = links_[shard].route())
    text += " at " + route->address;
  return text;
}

void ShardConnections::poll() {
  for (std::size_t shard = 0; shard < shards(); ++shard)
    switch (links_[shard].due(now(), options_.lease)) {
    case ShardLink::Due::nothing: break;
    case ShardLink::Due::connect: connect(shard); break;
    case ShardLink::Due::join: join_shard(shard); break;
    case ShardLink::Due::renew: renew(shard); break;
    }
}

// -- connections ----------------------------------------------------------------------------------

void ShardConnections::connect(std::size_t shard) {
  if (!links_[shard].begin_to_connect())
    return;
  self_->request(connector_, caf::infinite, ConnectShard{shard})
    .then([this, shard](const ShardRoute& route) { connected(shard, route); },
          [this, shard](const caf::error& error) {
            links_[shard].not_connected(sentence(error), now());
          });
}

void ShardConnections::connected(std::size_t shard, const ShardRoute& route) {
  links_[shard].connected(route);
  self_->monitor(route.control);
  if (route.blocks.address() != route.control.address())
    self_->monitor(route.blocks);
  if (joins_.empty())
    return;
  if (links_[shard].incarnation() == 0)
    join_shard(shard);
  else
    renew(shard);
  check_outage(shard);
  outcomes_.usable();
}

void ShardConnections::check_outage(std::size_t shard) {
  if (!reachable())
    return;
  if (const auto seconds = outage_.end(now()))
    log_.say(Level::info, name(shard) + " is reachable again after " + rounded_length(*seconds));
}

void ShardConnections::lose(std::size_t shard, const std::string& why) {
  const auto lost_name = name(shard);
  const auto lost = links_[shard].lose(why, now());
  if (!lost)
    return;
  self_->demonitor(lost->control.address());
  self_->demonitor(lost->blocks.address());
  self_->send(connector_, DropShard{shard});
  outcomes_.lost(shard);
  if (joins_.empty())
    return;
  outage_.begin(now());
  if (outage_.is_report_due())
    log_.say(Level::warning, lost_name + " is unreachable: " + why
                               + (outcomes_.trains_alone()
                                    ? "; training continues with the worker's own parameters "
                                      "while it reconnects"
                                    : "; reconnecting"));
  connect(shard);
}

void ShardConnections::connection_ended(const caf::down_msg& down) {
  for (std::size_t shard = 0; shard < shards(); ++shard)
    if (links_[shard].is_control(down.source) || links_[shard].is_block(down.source))
      lose(shard, "the connection has ended (" + sentence(down.reason) + ")");
}

void ShardConnections::report_waiting() {
  static_cast<void>(outage_.is_report_due()); // reported below
  for (std::size_t shard = 0; shard < shards(); ++shard)
    if (const auto& link = links_[shard]; !link.route())
      log_.say(Level::info,
               "waits for " + name(shard) + ", at most "
                 + print_duration(std::chrono::duration<double>(options_.join_deadline)) + ": "
                 + (link.last_error().empty() ? "no answer yet" : link.last_error()));
}

caf::error ShardConnections::connect_error() const {
  std::string why;
  for (std::size_t shard = 0; shard < shards(); ++shard)
    if (!links_[shard].route())
      why += "; " + name(shard) + ": " + links_[shard].last_error();
  return fail(Error::unavailable,
              "could not connect to the parameters within "
                + print_duration(std::chrono::duration<double>(options_.join_deadline)) + why
                + "; is the holder running, and are its certificates from the same authority?");
}

// -- membership -----------------------------------------------------------------------------------

void ShardConnections::join(std::vector<Join> joins) {
  joins_ = std::move(joins);
  for (std::size_t shard = 0; shard < shards(); ++shard) {
    links_[shard].reset();
    if (links_[shard].route())
      join_shard(shard);
    else
      connect(shard);
  }
}

bool ShardConnections::join_again() {
  const auto joins = [](const auto& link) { return link.is_joining(); };
  if (joins_.empty() || std::any_of(links_.begin(), links_.end(), joins))
    return false;
  for (std::size_t shard = 0; shard < shards(); ++shard) {
    links_[shard].forget_worker();
    if (links_[shard].route())
      join_shard(shard);
  }
  return true;
}

void ShardConnections::leave() {
  for (auto& link : links_) {
    if (const auto* route = link.route(); route && !joins_.empty())
      self_->send(route->control, Leave{options_.worker, link.incarnation()});
    link.forget_worker();
  }
  joins_.clear();
}

void ShardConnections::join_shard(std::size_t shard) {
  if (!links_[shard].begin_to_join())
    return;
  const auto control = links_[shard].route()->control;
  request_within(self_, control, join_deadline_of_shard, joins_[shard])
    .then(
      [this, shard, address = control.address()](const Joined& answer) {
        if (links_[shard].is_control(address))
          joined(shard, answer);
      },
      [this, shard, address = control.address()](const caf::error& error) {
        if (!links_[shard].is_control(address))
          return;
        links_[shard].not_joined();
        if (is_own_error(error))
          outcomes_.refused(shard, error);
        else
          lose(shard, sentence(error));
      });
}

void ShardConnections::joined(std::size_t shard, const Joined& answer) {
  if (const auto lost = links_[shard].joined(answer); lost > 0)
    log_.say(Level::warning, name(shard) + " was restored at version "
                               + std::to_string(answer.restored) + "; " + quantity(lost, "version")
                               + " acknowledged after it " + (lost == 1 ? "is" : "are") + " lost");
  if (!reachable())
    return;
  check_outage(shard);
  outcomes_.joined();
  renew(0); // to learn at once which worker is main
  outcomes_.usable();
}

void ShardConnections::renew(std::size_t shard) {
  if (!links_[shard].begin_to_renew())
    return;
  const auto control = links_[shard].route()->control;
  const auto incarnation = links_[shard].incarnation();
  request_within(self_, control, timespan_of(options_.lease), Renew{options_.worker, incarnation})
    .then(
      [this, shard, address = control.address()](const Renewed& renewed) {
        if (!links_[shard].is_control(address))
          return;
        links_[shard].renewed(renewed.version);
        if (shard == 0)
          outcomes_.renewed(renewed);
      },
      [this, shard, address = control.address(), incarnation](const caf::error& error) {
        auto& link = links_[shard];
        if (!link.is_control(address))
          return;
        if (is_own_error(error)) {
          if (link.renewal_refused(incarnation)) // otherwise it has joined again since
            outcomes_.forgotten();
        } else if (link.renewal_unanswered()) {
          lose(shard,
               "it has not answered " + std::to_string(ShardLink::silence_allowed) + " renewals");
        }
      });
}

} // namespace troupe
