#include "apps/grid/coordination.hpp"

#include "actors/grid/grid_coordinator.hpp"
#include "actors/grid/grid_folder_manager.hpp"
#include "apps/grid/runner.hpp"
#include "apps/process/vital_actor.hpp"
#include "apps/transport/token.hpp"
#include "apps/transport/trust.hpp"
#include "base/files/durable_file.hpp"
#include "troupe/version.hpp"

#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

namespace troupe {

namespace {

GridCoordinatorOptions coordinator_options(caf::actor_system& system, const GridPlan& plan,
                                           const LeasedFolders& folders, const std::string& probe,
                                           const GridConsole& console) {
  GridCoordinatorOptions options;
  options.members.version = version;
  options.members.cluster = cluster_token();
  options.members.probe = probe;
  // A new folder for each start, so that a stalled node of an earlier start cannot write into it.
  options.members.folder = std::string{nodes_folder} + "/" + draw_token().substr(0, 8);
  options.members.grid = std::filesystem::absolute(plan.options().settings.folder).string();
  options.prepare = [&plan](const RunTrial& trial) { return leased_trial(plan, trial); };
  options.notify = [&console](const std::string& line) { console.say(line); };
  options.folders = spawn_folder_manager(system, {folders, options.notify});
  return options;
}

} // namespace

GridCoordination::GridCoordination(caf::actor_system& system, const GridPlan& plan,
                                   const GridAddress& address, const std::string& port_file,
                                   const GridConsole& console)
  : GridCoordination(system, plan, address, port_file, console, draw_token()) {}

GridCoordination::GridCoordination(caf::actor_system& system, const GridPlan& plan,
                                   const GridAddress& address, const std::string& port_file,
                                   const GridConsole& console, const std::string& probe)
  : folders_(plan.options().settings.folder, probe),
    coordinator_(
      spawn_grid_coordinator(system, coordinator_options(system, plan, folders_, probe, console))) {
  exit_process_if_actor_fails(coordinator_, "the grid's coordinator");
  auto endpoint = address.endpoint;
  warn_without_token(address.trust, cluster_token(), "the grid");
  try {
    published_.emplace(grid_entry_point(coordinator_, cluster_token(),
                                        [&console](const std::string& line) { console.say(line); }),
                       endpoint, address.trust, "the grid");
    endpoint.port = published_->port();
  } catch (...) {
    caf::anon_send_exit(coordinator_, caf::exit_reason::user_shutdown);
    throw;
  }
  console.say("the grid listens on " + to_string(endpoint) + " (" + to_string(address.trust)
              + "); nodes join with: troupe grid node --connect " + to_string(endpoint));
  if (!port_file.empty())
    write_file(port_file, std::to_string(endpoint.port) + "\n");
}

GridCoordination::~GridCoordination() {
  caf::anon_send_exit(coordinator_, caf::exit_reason::user_shutdown);
}

void GridCoordination::serve(const GridSupervisor& supervisor) const {
  caf::anon_send(coordinator_, ServeGrid{supervisor});
}

void GridCoordination::stop(int level) const {
  caf::anon_send(coordinator_, StopNodes{static_cast<std::uint32_t>(level)});
}

void GridCoordination::close(bool resumable) const {
  caf::scoped_actor self{coordinator_.home_system()};
  self->request(coordinator_, caf::infinite, CloseGrid{resumable})
    .receive([](const GridClosed&) {}, [](const caf::error&) {});
  folders_.close();
}

} // namespace troupe
