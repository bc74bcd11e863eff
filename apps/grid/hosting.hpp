#pragma once

#include "apps/grid/console.hpp"
#include "apps/grid/door.hpp"
#include "apps/transport/published_actor.hpp"
#include "messages/grid/lent_folders.hpp"

namespace troupe {

/// Where a grid's host listens, and whom it trusts.
struct GridAddress {
  Endpoint endpoint; ///< port 0: any free one
  Trust trust;
};

/// A grid whose runs are trained by nodes, too. Blocking; for main() only.
class GridHosting {
public:
  /// Listens from here on. @param plan, console outlive it
  /// @param port_file written with the port; "": none
  /// @throws IoError where it cannot listen.
  GridHosting(caf::actor_system& system, const GridPlan& plan, const GridAddress& address,
              const std::string& port_file, const GridConsole& console);
  ~GridHosting();
  GridHosting(const GridHosting&) = delete;
  GridHosting& operator=(const GridHosting&) = delete;

  /// Nodes take their trials from this supervisor.
  void serve(const GridSupervisor& supervisor) const;
  /// Runs of nodes end after their epoch (level 1) or batch (2).
  void stop(int level) const;
  /// The grid has ended: waits until all nodes have left or are lost, and removes their folders.
  void close(bool resumable) const;

private:
  GridHosting(caf::actor_system& system, const GridPlan& plan, const GridAddress& address,
              const std::string& port_file, const GridConsole& console, const std::string& word);

  LentFolders folders_;
  GridHost host_;
  std::optional<PublishedActor> published_;
};

} // namespace troupe
