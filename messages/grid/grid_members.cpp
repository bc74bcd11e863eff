#include "messages/grid/grid_members.hpp"

#include "base/same_secret.hpp"
#include "messages/control/control.hpp"
#include "messages/requests/error.hpp"

namespace troupe {

caf::expected<NodeNumber> GridMembers::join(const JoinGrid& join, double now) {
  const auto who = "the node on '" + join.host + "'";
  if (join.protocol != protocol_version || join.version != options_.version)
    return fail(Error::invalid_options, who + " is troupe " + join.version + " with protocol "
                                          + std::to_string(join.protocol)
                                          + ", the grid's is troupe " + options_.version
                                          + " with protocol " + std::to_string(protocol_version)
                                          + "; use the same version on all nodes");
  if (!options_.cluster.empty() && !same_secret(join.cluster, options_.cluster))
    return fail(Error::invalid_options,
                who
                  + " belongs to another cluster: its token is not the grid's; "
                    "give both the same TROUPE_TOKEN");
  if (join.runners == 0)
    return fail(Error::invalid_options,
                who + " has no runner; give it at least one processor, like --at-once 1");
  const auto number = ++last_;
  const auto counted = "-" + std::to_string(number);
  members_.join(number, options_.lease, false, now);
  nodes_[number] = {join.host + counted, options_.folder + counted, join.runners, false, {}};
  return number;
}

caf::error GridMembers::admit(const ShowProbe& shown) {
  if (!members_.joined(shown.node))
    return check(shown.node, "a probe");
  auto& node = nodes_.at(shown.node);
  if (shown.probe == options_.probe) {
    node.admitted = true;
    return {};
  }
  auto refusal = fail(Error::invalid_options,
                      "node " + node.name + " does not see the folder of the grid: '"
                        + options_.grid + "/" + node.folder
                        + "' is not there, or another; mount "
                          "the grid's folder on its machine, or give the node --folder with the "
                          "place where it is mounted");
  members_.leave(shown.node);
  nodes_.erase(shown.node);
  return refusal;
}

caf::error GridMembers::check(NodeNumber node, const std::string& what) const {
  if (!members_.joined(node))
    return fail(Error::not_joined, what + " of node number " + std::to_string(node)
                                     + " comes after its lease has ended, or before it joined; "
                                       "join again");
  if (!nodes_.at(node).admitted)
    return fail(Error::not_joined, what + " of node " + nodes_.at(node).name
                                     + " comes before it has shown that it sees the grid's "
                                       "folder; send ShowProbe");
  return {};
}

bool GridMembers::has(NodeNumber node, RunNumber run) const {
  const auto found = nodes_.find(node);
  return found != nodes_.end() && found->second.runs.count(run) > 0;
}

} // namespace troupe
