#pragma once

#include "messages/grid/grid_nodes.hpp"
#include "messages/parameters/membership.hpp"

#include <caf/expected.hpp>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace troupe {

struct GridMembersOptions {
  std::string version; ///< of the program; nodes with another version are refused
  std::string cluster; ///< the secret of the cluster; "": every node is admitted
  std::string probe;   ///< which a node reads in its folder if it sees the grid's folder
  std::string folder;  ///< the folder of node N is "<folder>-N", below the grid's
  std::string grid;    ///< the grid's folder, to be shown
  double lease = 1;    ///< seconds between renewals
};

/// Which nodes belong to a grid, and which runs each of them has. Times are seconds of one
/// monotonic clock. A node whose lease ends (membership.hpp: after two to three renewals) is lost
/// for good together with its runs: if it comes back it joins as a new node.
class GridMembers {
public:
  explicit GridMembers(GridMembersOptions options) : options_(std::move(options)) {}

  struct Node {
    std::string name;   ///< to be shown
    std::string folder; ///< below the grid's
    std::uint32_t runners = 0;
    bool admitted = false;
    std::set<RunNumber> runs; ///< leased to it
  };

  /// @returns the new node's number, or the sentence why it cannot take part.
  caf::expected<NodeNumber> join(const JoinGrid& join, double now);
  /// Admits the node if it sees the grid's folder; otherwise removes it.
  caf::error admit(const ShowProbe& shown);
  /// @returns Error::not_joined, with a sentence, for a node that is lost, has left or is not
  /// admitted yet.
  caf::error check(NodeNumber node, const std::string& what) const;
  void renew(NodeNumber node, double now) { members_.renew(node, now); }

  void lease(RunNumber run, NodeNumber node) { nodes_.at(node).runs.insert(run); }
  bool has(NodeNumber node, RunNumber run) const;
  void remove_run(RunNumber run, NodeNumber node) { nodes_.at(node).runs.erase(run); }

  /// @returns the nodes whose leases have just ended. Their names and runs can be queried until
  /// they are forgotten.
  std::vector<NodeNumber> expire(double now) { return members_.expire(now); }
  void leave(NodeNumber node) { members_.leave(node); }
  void forget(NodeNumber node) { nodes_.erase(node); }

  const Node& node(NodeNumber node) const { return nodes_.at(node); }
  bool knows(NodeNumber node) const { return nodes_.count(node) > 0; }
  bool empty() const { return members_.live().empty(); }

private:
  GridMembersOptions options_;
  Membership members_;
  std::map<NodeNumber, Node> nodes_;
  NodeNumber last_ = 0;
};

} // namespace troupe
