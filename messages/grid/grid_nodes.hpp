// A grid whose runs are also trained by nodes: processes on other machines that share its folder.
//
//   supervisor             coordinator                   node (a runner on each of its processors)
//     |                      | <--- JoinGrid --------------- |   protocol, version, token
//     |                      | ---- GridJoined ------------> |   its name, and a folder of its own
//     |                      | <--- ShowProbe -------------- |   what it reads in that folder
//     |                      | ---- NodeAdmitted ----------> |
//     |                      | <--- RenewNode -------------- |   every second: I am alive
//     |                      | ---- NodeRenewed -----------> |   whether its runs are to end
//     |                      | <--- AskForTrial ------------ |   one for each runner that is free
//     | <--- OfferRunner --- |                               |
//     | ---- RunTrial -----> |   the run's folder is moved to the node's
//     |                      | ---- LeasedTrial -----------> |
//     |                      | <--- ReturnTrial ------------ |
//     |                      |   the run's folder is moved back
//     | <--- TrialEnded ---- | ---- TrialReturned ---------> |
//     |                      | <--- LeaveGrid -------------- |
//
// A node writes below a folder of its own, and only the coordinator moves runs between folders. So
// a node that was declared lost but only slept writes to a folder that is no longer read: its runs
// were copied, and what it returns is refused.
#pragma once

#include "messages/grid/grid.hpp"
#include "messages/grid/grid_journal.hpp"
#include "messages/parameters/parameters.hpp"

namespace troupe {

/// Number of a node, from 1 in the order of joining; a node that joins again gets a new one.
using NodeNumber = WorkerId;

/// Asks to become a node. Error::invalid_options is the answer to another protocol, version or
/// token.
struct JoinGrid {
  std::uint32_t protocol = protocol_version; ///< of the node's build
  std::string version;                       ///< of the program
  std::string cluster;       ///< the secret that all processes of one cluster share; "": none
  std::string host;          ///< the machine's name, to be shown
  std::uint32_t runners = 0; ///< runs that it trains at once
  TROUPE_FIELDS(protocol, version, cluster, host, runners);
};

/// The node has a number; it is admitted once it has shown what it reads in its folder.
struct GridJoined {
  NodeNumber node = 0; ///< its number
  std::string name;    ///< of the node, as shown and in the journal: "n2-1"
  double lease = 0;    ///< seconds between renewals
  std::string grid;    ///< the grid's folder on the coordinator's machine
  std::string folder;  ///< the node's own, below the grid's
  TROUPE_FIELDS(node, name, lease, grid, folder);
};

/// The first line of the file `probe_file` in the node's folder; "" if there is no such file.
struct ShowProbe {
  NodeNumber node = 0; ///< its number
  std::string probe;   ///< what it read
  TROUPE_FIELDS(node, probe);
};

/// Both see the same folder: the node may ask for runs.
struct NodeAdmitted {
  TROUPE_FIELDS();
};

/// Renews a node's lease.
struct RenewNode {
  NodeNumber node = 0; ///< its number
  TROUPE_FIELDS(node);
};

/// The lease is renewed. Error::not_joined instead where the node was lost, and has to join again.
struct NodeRenewed {
  std::uint32_t stop = 0; ///< 1: runs end after their epoch, 2: after their batch; 0: they continue
  bool over = false;      ///< the grid has ended: the node is to leave
  bool resumable = false; ///< it ended early and can be resumed
  TROUPE_FIELDS(stop, over, resumable);
};

/// A runner of the node is free; the answer comes when there is a run for it.
struct AskForTrial {
  NodeNumber node = 0; ///< its number
  TROUPE_FIELDS(node);
};

/// All that a runner needs to run a trial.
struct LeasedTrial {
  RunTrial trial;       ///< which run
  std::string settings; ///< of the run, as YAML
  std::string home;     ///< the run's folder on the coordinator's machine, as its results name it
  std::string folder;   ///< the run's folder while it is leased: below the node's
  std::string by;       ///< the record that is its score
  bool isolate = false; ///< run it in a process of its own
  /// With `always` the files of the run are forced to the disk, too
  JournalSync sync = JournalSync::seldom;
  TROUPE_FIELDS(trial, settings, home, folder, by, isolate, sync);
};

/// A run has ended, and its folder may be moved back. Error::stale where the run is no longer
/// leased to the node.
struct ReturnTrial {
  NodeNumber node = 0; ///< its number
  TrialEnded ended;    ///< how
  TROUPE_FIELDS(node, ended);
};

/// The folder is back with the grid.
struct TrialReturned {
  TROUPE_FIELDS();
};

/// A node ends; runs that it has not returned are taken from it.
struct LeaveGrid {
  NodeNumber node = 0; ///< its number
  TROUPE_FIELDS(node);
};

/// The interface of a coordinator for nodes.
using GridListener = caf::typed_actor<
  caf::replies_to<JoinGrid>::with<GridJoined>, caf::replies_to<ShowProbe>::with<NodeAdmitted>,
  caf::replies_to<RenewNode>::with<NodeRenewed>, caf::replies_to<AskForTrial>::with<LeasedTrial>,
  caf::replies_to<ReturnTrial>::with<TrialReturned>, caf::reacts_to<LeaveGrid>>;

// -- in the coordinator's process -----------------------------------------------------------------

/// From now on nodes get their trials from this supervisor.
struct ServeGrid {
  GridSupervisor supervisor; ///< gets an OfferRunner for each runner that is free
  TROUPE_FIELDS(supervisor);
};

/// Ends the runs of all nodes; levels as in NodeRenewed.
struct StopNodes {
  std::uint32_t level = 1; ///< 1 or 2
  TROUPE_FIELDS(level);
};

/// The grid has ended. Answered when all nodes have left or are lost.
struct CloseGrid {
  bool resumable = false; ///< the grid ended early: nodes may come back to it
  TROUPE_FIELDS(resumable);
};

/// No node is left.
struct GridClosed {
  TROUPE_FIELDS();
};

/// A timer of the coordinator: check the leases.
struct CheckNodes {
  TROUPE_FIELDS();
};

/// Stands for all nodes towards the supervisor (actors/grid/grid_coordinator.hpp).
using GridCoordinator
  = GridListener::extend<caf::replies_to<RunTrial>::with<TrialEnded>, caf::reacts_to<ServeGrid>,
                         caf::reacts_to<StopNodes>, caf::replies_to<CloseGrid>::with<GridClosed>>;

/// Folders of runs, named relative to the grid's folder, move to nodes and back
/// (messages/grid/leased_folders.hpp).
struct OpenFolder {
  std::string node; ///< the folder of a node, relative to the grid's folder
  TROUPE_FIELDS(node);
};
/// Moves a run's folder to a node's.
struct LeaseRun {
  std::string run, node; ///< its folder, and that of the node
  TROUPE_FIELDS(run, node);
};
/// Moves it back.
struct ReturnRun {
  std::string run, node; ///< its folder, and that of the node
  TROUPE_FIELDS(run, node);
};
/// As ReturnRun, from a node that may still write there. A copy that fails is retried for minutes;
/// then the folder becomes that of a failed attempt, and the answer is an error.
struct RescueRun {
  std::string run, node; ///< its folder, and that of the node
  TROUPE_FIELDS(run, node);
};
/// The folder is where it was to be moved, unless `left` says why not.
struct FoldersMoved {
  std::string left; ///< why a run is still with its node, for the next start; "": it is not
  TROUPE_FIELDS(left);
};

/// The grid is ending: what cannot be copied now stays where it is.
struct CancelRescues {
  TROUPE_FIELDS();
};

/// The folder manager to itself.
struct RescueAgain {
  TROUPE_FIELDS();
};

/// Moves folders, one after the other (actors/grid/grid_folder_manager.hpp).
using FolderManager
  = caf::typed_actor<caf::replies_to<OpenFolder>::with<FoldersMoved>,
                     caf::replies_to<LeaseRun>::with<FoldersMoved>,
                     caf::replies_to<ReturnRun>::with<FoldersMoved>,
                     caf::replies_to<RescueRun>::with<FoldersMoved>, caf::reacts_to<CancelRescues>>;

// -- in a node's process --------------------------------------------------------------------------

/// Trains leased runs, one after the other.
using LeasedRunner = caf::typed_actor<caf::replies_to<LeasedTrial>::with<TrialEnded>>;

/// Asks for a route to the coordinator, also after an earlier one was lost.
struct ConnectGrid {
  TROUPE_FIELDS();
};
/// How to reach the coordinator.
struct GridRoute {
  std::string address;   ///< to be shown
  GridListener listener; ///< of this connection
  TROUPE_FIELDS(address, listener);
};

/// Asks for the probe in a folder.
struct ReadProbe {
  std::string folder; ///< as this machine sees it
  TROUPE_FIELDS(folder);
};
/// What a probe says.
struct ProbeRead {
  std::string probe; ///< "" if there is none
  TROUPE_FIELDS(probe);
};

/// Answers may take seconds.
using GridConnector = caf::typed_actor<caf::replies_to<ConnectGrid>::with<GridRoute>,
                                       caf::replies_to<ReadProbe>::with<ProbeRead>>;

/// Asks to become a node of the grid, or to become one again after losing the coordinator.
struct EnterGrid {
  JoinGrid join;    ///< what the coordinator is told
  std::string grid; ///< the grid's folder as this machine sees it; "": same path as on the
                    ///< coordinator
  TROUPE_FIELDS(join, grid);
};
/// The node is admitted.
struct GridEntered {
  GridRoute route;    ///< to the coordinator
  GridJoined joined;  ///< the coordinator's answer
  std::string folder; ///< the node's own, as this machine sees it
  TROUPE_FIELDS(route, joined, folder);
};

/// Answers when the coordinator has admitted the node, or with the reason for refusing it.
using GridJoiner = caf::typed_actor<caf::replies_to<EnterGrid>::with<GridEntered>>;

/// Trains runs of the grid until the node ends.
struct StartNode {
  TROUPE_FIELDS();
};

/// Asks for no more trials, and leaves when none is running. It may come before StartNode, which is
/// then answered at once.
struct StopNode {
  TROUPE_FIELDS();
};

/// Why a node ended.
enum class NodeEnd : std::uint8_t {
  over,        ///< all runs of the grid are complete
  stopped,     ///< the grid or this node was stopped; the same commands resume it
  refused,     ///< the coordinator refuses this node
  unreachable, ///< the coordinator was unreachable for too long
  failed,      ///< a defect of this program
};

/// The node has left, or was refused.
struct NodeEnded {
  NodeEnd how = NodeEnd::over; ///< in a word
  std::string why;             ///< a sentence unless over or stopped
  std::uint64_t runs = 0;      ///< number of runs returned
  TROUPE_FIELDS(how, why, runs);
};

/// A timer of the node: check its lease.
struct CheckNodeLease {
  TROUPE_FIELDS();
};

/// Takes part in a grid on another machine (actors/grid/grid_node.hpp).
using GridNode
  = caf::typed_actor<caf::replies_to<StartNode>::with<NodeEnded>, caf::reacts_to<StopNode>>;

} // namespace troupe

// clang-format off
/// Calls X(Message) for each message between a grid and its nodes.
#define TROUPE_GRID_NODE_MESSAGES(X) \
  X(JoinGrid) X(GridJoined) X(ShowProbe) X(NodeAdmitted) X(RenewNode) X(NodeRenewed) \
  X(AskForTrial) X(LeasedTrial) X(ReturnTrial) X(TrialReturned) X(LeaveGrid) X(ServeGrid) \
  X(StopNodes) X(CloseGrid) X(GridClosed) X(CheckNodes) X(OpenFolder) X(LeaseRun) \
  X(ReturnRun) X(RescueRun) X(FoldersMoved) X(ConnectGrid) X(GridRoute) X(ReadProbe) \
  X(ProbeRead) X(StartNode) X(StopNode) X(NodeEnded) X(CheckNodeLease) X(CancelRescues) \
  X(RescueAgain) X(EnterGrid) X(GridEntered)
// clang-format on

CAF_BEGIN_TYPE_ID_BLOCK(troupe_grid_nodes, caf::first_custom_type_id + 21100)

#define TROUPE_ADD_TYPE_ID(Message) CAF_ADD_TYPE_ID(troupe_grid_nodes, (troupe::Message))
  TROUPE_GRID_NODE_MESSAGES(TROUPE_ADD_TYPE_ID)
#undef TROUPE_ADD_TYPE_ID

CAF_END_TYPE_ID_BLOCK(troupe_grid_nodes)
