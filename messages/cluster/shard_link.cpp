#include "messages/cluster/shard_link.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

ShardLink::Due ShardLink::due(double now, double lease) {
  if (!route_ && now >= try_from_)
    return Due::connect;
  if (route_ && incarnation_ == 0)
    return Due::join;
  if (now < renew_from_)
    return Due::nothing;
  renew_from_ = now + lease;
  return Due::renew;
}

bool ShardLink::begin_to_connect() { return !std::exchange(connecting_, true); }

void ShardLink::connected(const ShardRoute& route) {
  route_ = route;
  back_off_.reset();
  silent_ = 0;
  connecting_ = joining_ = renewing_ = false;
}

void ShardLink::not_connected(const std::string& why, double now) {
  connecting_ = false;
  last_error_ = why;
  try_from_ = now + back_off_.next();
}

std::optional<ShardRoute> ShardLink::lose(const std::string& why, double now) {
  if (!route_)
    return {};
  joining_ = renewing_ = false;
  last_error_ = why;
  try_from_ = now;
  return std::exchange(route_, std::nullopt);
}

bool ShardLink::is_control(const caf::actor_addr& address) const {
  return route_ && route_->control.address() == address;
}

bool ShardLink::is_block(const caf::actor_addr& address) const {
  return route_ && route_->blocks.address() == address;
}

void ShardLink::reset() {
  incarnation_ = 0;
  seen_ = restored_ = 0;
}

bool ShardLink::begin_to_join() { return !std::exchange(joining_, true); }

Version ShardLink::joined(const Joined& answer) {
  joining_ = false;
  incarnation_ = answer.incarnation;
  created_ = answer.created;
  silent_ = 0;
  const auto restarted = answer.restored != restored_ || answer.version < seen_;
  const auto lost
    = restarted && answer.created && answer.restored < seen_ ? seen_ - answer.restored : Version{0};
  restored_ = answer.restored;
  seen_ = answer.version;
  return lost;
}

bool ShardLink::refused(const std::string& why) {
  joining_ = false;
  return std::exchange(last_error_, why) != why;
}

bool ShardLink::begin_to_renew() { return is_usable() && !std::exchange(renewing_, true); }

void ShardLink::renewed(Version version) {
  renewing_ = false;
  silent_ = 0;
  set_seen(version);
}

bool ShardLink::renewal_refused(std::uint64_t incarnation) {
  renewing_ = false;
  return incarnation == incarnation_;
}

bool ShardLink::renewal_unanswered() {
  renewing_ = false;
  return ++silent_ >= silence_allowed;
}

void ShardLink::set_seen(Version version) { seen_ = std::max(seen_, version); }

} // namespace troupe
