// Which need each message of a grid's interface has, as in access_rules.hpp.
#pragma once

#include "messages/access/access_control.hpp"
#include "messages/grid/grid_nodes.hpp"

namespace troupe {

inline Demand demand_of(const JoinGrid&) { return {Needs::token}; }
inline Demand demand_of(const ShowProbe& shown) { return {Needs::membership, shown.node}; }
inline Demand demand_of(const RenewNode& renew) { return {Needs::membership, renew.node}; }
inline Demand demand_of(const AskForTrial& ask) { return {Needs::membership, ask.node}; }
inline Demand demand_of(const ReturnTrial& back) { return {Needs::membership, back.node}; }
inline Demand demand_of(const LeaveGrid& leave) { return {Needs::membership, leave.node, true}; }

inline MembershipChange membership_change(const JoinGrid&, const GridJoined& joined) {
  return {joined.node, joined.lease};
}
inline MembershipChange membership_change(const ShowProbe& shown, const NodeAdmitted&) {
  return {shown.node};
}
inline MembershipChange membership_change(const RenewNode& renew, const NodeRenewed&) {
  return {renew.node};
}

} // namespace troupe
