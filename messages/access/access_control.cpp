#include "messages/access/access_control.hpp"

#include "base/same_secret.hpp"
#include "messages/control/control.hpp"

namespace troupe {

namespace {

/// A holder drops a worker that stays silent for three renewals (membership.hpp).
constexpr double longest_silence = 3;

} // namespace

std::string AccessControl::refusal_of(const std::string& token) const {
  if (token_.empty() || same_secret(token, token_))
    return "";
  return token.empty()
           ? "it has no token; give all nodes the same TROUPE_TOKEN"
           : "it belongs to another cluster: its token is not this one's; give all nodes the same "
             "TROUPE_TOKEN";
}

std::string AccessControl::refusal(const std::string& key, const Demand& demand, double now) const {
  if (demand.needs == Needs::nothing)
    return "";
  if (demand.needs == Needs::own_process)
    return "it is on another node, and only this process may send that";
  const auto found = peers_.find(key);
  if (found == peers_.end())
    return "it has not introduced itself with this cluster's token";
  const auto& peer = found->second;
  if (demand.needs == Needs::token)
    return "";
  if (peer.left)
    return "it has left";
  if (demand.needs == Needs::introduction)
    return "";
  if (!peer.number)
    return "it has not joined";
  const auto name = "it is member " + std::to_string(*peer.number);
  const auto& member = members_.at(*peer.number);
  if (member.lease > 0 && now - peer.seen > longest_silence * member.lease)
    return name + ", whose lease has ended";
  if (demand.number && *demand.number != *peer.number)
    return name + " but claims to be " + std::to_string(*demand.number);
  if (demand.needs == Needs::training && member.is_reader)
    return name + ", which only reads";
  return "";
}

void AccessControl::join(const std::string& key, const MembershipChange& change, double now) {
  const auto found = peers_.find(key);
  if (found == peers_.end())
    return;
  for (auto& [other, peer] : peers_)
    if (other != key && peer.number == change.number)
      peer.number.reset();
  found->second = {change.number, now, false};
  auto& member = members_[change.number];
  member.lease = change.lease.value_or(member.lease);
  member.is_reader = change.is_reader.value_or(member.is_reader);
}

void AccessControl::leave(const std::string& key) {
  if (const auto found = peers_.find(key); found != peers_.end())
    found->second = {std::nullopt, 0, true};
}

} // namespace troupe
