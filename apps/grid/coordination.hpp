#pragma once

#include "apps/grid/console.hpp"
#include "apps/grid/listener.hpp"
#include "apps/transport/published_actor.hpp"
#include "messages/grid/leased_folders.hpp"

namespace troupe {

/// The address and the trust of a grid's coordinator.
struct GridAddress {
  Endpoint endpoint; ///< port 0: any free port
  Trust trust;
};

/// Lets nodes train runs of a grid. Blocking; for main() only.
class GridCoordination {
public:
  /// Starts to listen. @param plan, console must outlive it
  /// @param port_file the port is written to it; "": none
  /// @throws IoError if it cannot listen.
  GridCoordination(caf::actor_system& system, const GridPlan& plan, const GridAddress& address,
                   const std::string& port_file, const GridConsole& console);
  ~GridCoordination();
  GridCoordination(const GridCoordination&) = delete;
  GridCoordination& operator=(const GridCoordination&) = delete;

  /// Gives trials of this supervisor to nodes.
  void serve(const GridSupervisor& supervisor) const;
  /// Runs of nodes end after their epoch (level 1) or batch (2).
  void stop(int level) const;
  /// After the end of the grid: waits until all nodes have left or are lost, and removes their
  /// folders.
  void close(bool resumable) const;

private:
  GridCoordination(caf::actor_system& system, const GridPlan& plan, const GridAddress& address,
                   const std::string& port_file, const GridConsole& console,
                   const std::string& probe);

  LeasedFolders folders_;
  GridCoordinator coordinator_;
  std::optional<PublishedActor> published_;
};

} // namespace troupe
