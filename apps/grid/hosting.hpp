#pragma once

#include "apps/grid/console.hpp"
#include "apps/grid/listener.hpp"
#include "apps/transport/published_actor.hpp"
#include "messages/grid/leased_folders.hpp"

namespace troupe {

/// Where a grid's host listens, and whom it trusts.
struct GridAddress {
  Endpoint endpoint; ///< port 0: any free one
  Trust trust;
};

/// A grid whose runs are trained by nodes, too. Blocking; for main() only.
class GridCoordination {
public:
  /// Listens from here on. @param plan, console outlive it
  /// @param port_file written with the port; "": none
  /// @throws IoError where it cannot listen.
  GridCoordination(caf::actor_system& system, const GridPlan& plan, const GridAddress& address,
                   const std::string& port_file, const GridConsole& console);
  ~GridCoordination();
  GridCoordination(const GridCoordination&) = delete;
  GridCoordination& operator=(const GridCoordination&) = delete;

  /// Nodes take their trials from this supervisor.
  void serve(const GridSupervisor& supervisor) const;
  /// Runs of nodes end after their epoch (level 1) or batch (2).
  void stop(int level) const;
  /// The grid has ended: waits until all nodes have left or are lost, and removes their folders.
  void close(bool resumable) const;

private:
  GridCoordination(caf::actor_system& system, const GridPlan& plan, const GridAddress& address,
                   const std::string& port_file, const GridConsole& console,
                   const std::string& probe);

  LeasedFolders folders_;
  GridCoordinator host_;
  std::optional<PublishedActor> published_;
};

} // namespace troupe
