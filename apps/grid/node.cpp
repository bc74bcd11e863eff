#include "apps/grid/node.hpp"

#include "actors/grid/grid_joiner.hpp"
#include "actors/grid/grid_node.hpp"
#include "apps/config/config_sources.hpp"
#include "apps/config/plugins.hpp"
#include "apps/folder/run_folder.hpp"
#include "apps/grid/runner.hpp"
#include "apps/transport/reached_holder.hpp"
#include "apps/transport/token.hpp"
#include "base/failure.hpp"
#include "base/host_name.hpp"
#include "messages/requests/error.hpp"
#include "troupe/version.hpp"

#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <deque>
#include <iostream>
#include <stdexcept>

namespace troupe {

namespace {

/// This machine's name without its domain.
std::string machine_name() {
  const auto name = host_name();
  return as_file_name(name.substr(0, name.find('.')));
}

Endpoint grid_endpoint(const GridCommand& command) {
  if (command.connect.empty())
    throw UsageError("a node needs the address of its grid: troupe grid node --connect host:port");
  if (!command.file.empty())
    throw UsageError("a node gets its runs from the grid and takes no file like '" + command.file
                     + "'; omit it");
  try {
    return parse_endpoint(command.connect);
  } catch (const std::invalid_argument& e) {
    throw ConfigError(std::string{"--connect: "} + e.what());
  }
}

int node_exit_code(const NodeEnded& ended) {
  if (!ended.why.empty())
    std::cerr << "troupe: " << ended.why << "\n";
  switch (ended.how) {
  case NodeEnd::over: return static_cast<int>(ExitCode::done);
  case NodeEnd::stopped: return static_cast<int>(ExitCode::stopped_early);
  case NodeEnd::refused: return static_cast<int>(ExitCode::configuration);
  case NodeEnd::unreachable: return static_cast<int>(ExitCode::unavailable);
  case NodeEnd::failed: break;
  }
  return static_cast<int>(ExitCode::internal);
}

NodeEnded serve_as_node(GridStage& stage, const GridNode& node) {
  stage.interrupts.on_interrupt([&stage, node](int level) {
    caf::anon_send(node, StopNode{});
    stage.children.stop(level);
    std::cerr << (level >= 2
                    ? "interrupted: runs end after their batch; press Ctrl-C again to end at once\n"
                    : "interrupted: runs end after their epoch, and other nodes continue them; "
                      "press Ctrl-C again to end after the batch\n");
  });
  NodeEnded ended;
  caf::scoped_actor self{stage.system};
  self->request(node, caf::infinite, StartNode{})
    .receive([&](const NodeEnded& answer) { ended = answer; },
             [&](const caf::error& error) {
               ended = {NodeEnd::failed, sentence(error), 0};
             });
  stage.interrupts.on_interrupt({});
  return ended;
}

} // namespace

int grid_node(const GridCommand& command) {
  Interrupts interrupts; // before other threads
  const auto endpoint = grid_endpoint(command);
  check_join_deadline(command.join_deadline);
  const auto trust = trust_of(command.trust, endpoint.host);
  forget_environment();
  allow_only_plugins(command.plugins);
  const auto processors = processors_for(command.at_once);
  constexpr std::size_t of_node
    = 9; // threads of actors, clock, printer, connections and their connector
  check_room_for_runs(processors.size(), of_node);
  ProblemCache problems;
  std::deque<CastSystem> casts;
  GridSystemConfig config{2};
  caf::actor_system system{config};
  GridStage stage{system, interrupts, problems, {}};
  GridNodeOptions options;
  options.enter.join.version = version;
  options.enter.join.cluster = cluster_token();
  options.enter.join.host = machine_name();
  options.enter.grid = command.folder;
  options.patience = command.join_deadline;
  for (const auto processor : processors)
    options.runners.push_back(spawn_leased_runner(
      stage, casts.emplace_back(threads_per_run(processors.size())), processor));
  options.stop_runs = [&stage](std::uint32_t level, const std::string& why) {
    stage.interrupts.stop(static_cast<int>(level), why);
    stage.children.stop_now(static_cast<int>(level));
  };
  options.notify = [quiet = command.quiet](const std::string& line) {
    if (!quiet)
      std::cerr << line + "\n" << std::flush;
  };
  const auto joiner
    = spawn_grid_joiner(system, spawn_grid_connector(system, endpoint, trust, cluster_token()));
  const auto ended = serve_as_node(stage, spawn_grid_node(system, joiner, std::move(options)));
  if (!command.quiet)
    std::cerr << ended.runs << " runs returned\n";
  return node_exit_code(ended);
}

} // namespace troupe
