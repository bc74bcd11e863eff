#include "troupe/apps/train.hpp"

#include "troupe/actors/parameter_holder.hpp"
#include "troupe/actors/remote_holder.hpp"
#include "troupe/apps/bulk_door.hpp"
#include "troupe/apps/components.hpp"
#include "troupe/apps/config/decode.hpp"
#include "troupe/apps/config/overrides.hpp"
#include "troupe/apps/config/print.hpp"
#include "troupe/apps/holder_connector.hpp"
#include "troupe/apps/result_text.hpp"
#include "troupe/apps/run_folder.hpp"
#include "troupe/apps/run_session.hpp"
#include "troupe/apps/system_config.hpp"
#include "troupe/messages/type_ids.hpp"

#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <filesystem>
#include <iostream>
#include <thread>

namespace troupe {

namespace {

/// `a.b=c`, `+a.b=c`, `++a.b=c`, `~a.b`; everything else is a file.
bool is_override(const std::string& word) {
  return word.starts_with("+") || word.starts_with("~") || word.find('=') != std::string::npos;
}

std::filesystem::path resumed_folder(const std::string& resume) {
  const auto folder
    = resume == "last" ? std::filesystem::path{"runs/latest"} : std::filesystem::path{resume};
  if (!std::filesystem::exists(folder / saved_run_file))
    throw IoError(
      "there is no " + std::string{saved_run_file} + " in '" + folder.string()
      + "' to resume from; give the folder of a run that ended in good order, or 'last'");
  return std::filesystem::canonical(folder);
}

ConfigSources sources_of(const TrainCommand& command, const std::filesystem::path& resumed,
                         const ClusterSeat* seat) {
  ConfigSources sources;
  if (!resumed.empty())
    sources.files.push_back(resumed / "config.yaml");
  for (const auto& file : command.files)
    sources.files.emplace_back(file);
  for (const auto& word : command.words)
    if (is_override(word))
      sources.overrides.push_back(word);
    else
      sources.files.emplace_back(word);
  sources.environment = config::environment();
  if (seat != nullptr) { // whatever a configuration says of workers in one process, a node is one
                         // of them
    sources.overrides.emplace_back("training.workers=1");
    sources.in_cluster = seat->workers > 1;
  }
  return sources;
}

int exit_code(Outcome outcome) {
  switch (outcome) {
  case Outcome::finished: return static_cast<int>(ExitCode::done);
  case Outcome::interrupted: return static_cast<int>(ExitCode::stopped_early);
  case Outcome::failed: return static_cast<int>(ExitCode::internal);
  }
  return static_cast<int>(ExitCode::internal);
}

std::filesystem::path make_folder(const RunConfig& config, const ClusterSeat* seat) {
  if (seat != nullptr && !seat->folder.empty()) {
    std::error_code error;
    std::filesystem::create_directories(seat->folder, error);
    if (error)
      throw IoError("cannot make the folder '" + seat->folder + "': " + error.message());
    return seat->folder;
  }
  RunFolderOptions options;
  options.root = config.run.root;
  options.problem = config.tree.find("problem")->find("name")->text();
  options.model = config.tree.find("model")->find("name")->text();
  options.tag = config.run.tag;
  return create_run_folder(options);
}

void point_latest_if_possible(const RunConfig& config, const std::filesystem::path& folder) {
  try {
    point_latest(config.run.root, folder);
  } catch (const IoError&) {
    // runs do without the link
  }
}

/// A holder in this process, which others reach, too.
struct HostedHolder {
  HostedHolder(caf::actor_system& system, const ClusterSeat& seat) {
    const auto& endpoint = seat.holders.front();
    ParameterHolderOptions options;
    options.store.cluster = seat.cluster;
    holder = spawn_parameter_holder(system, options);
    door.emplace(system, holder, endpoint.host, seat.trust, seat.cluster);
    const auto port = publish_holder(holder, endpoint.host, endpoint.port, seat.trust);
    std::cerr << "parameter holder listens on " << to_string(Endpoint{endpoint.host, port})
              << std::endl;
  }
  ~HostedHolder() { caf::anon_send_exit(holder, caf::exit_reason::user_shutdown); }
  HostedHolder(const HostedHolder&) = delete;
  HostedHolder& operator=(const HostedHolder&) = delete;

  ParameterHolder holder;
  std::optional<BulkDoor> door;
};

/// The way to a holder in this process is the holder itself.
Connector connector_to(caf::actor_system& system, const ParameterHolder& holder) {
  const auto behave = [holder](Connector::pointer) -> Connector::behavior_type {
    return {
      [holder](const ConnectShard&) {
        return ShardRoute{"this process", holder, holder};
      },
      [](const DropShard&) {},
    };
  };
  return system.spawn(behave);
}

/// Lets the worker take part: it finds its way to the holders when it joins.
void take_seat(caf::actor_system& system, const ClusterSeat& seat, const ParameterHolder& hosted,
               const ClusterOptions& cluster, SessionOptions& options) {
  if (!seat.hosts_holder)
    for (const auto& endpoint : seat.holders)
      wait_for_holder(system, endpoint, seat.trust, seat.join_deadline);
  options.first_worker = seat.worker;
  options.all_workers = seat.workers;
  options.way_to_holder = [&system, seat, hosted, cluster](WorkerId worker, const Logger& logger) {
    HolderConnectorOptions connector;
    connector.holders = seat.holders;
    connector.trust = seat.trust;
    connector.cluster = seat.cluster;
    connector.channel = {worker, cluster.wire};
    RemoteHolderOptions remote;
    remote.worker = worker;
    remote.workers = seat.workers;
    remote.shards = seat.holders.size();
    remote.cluster = seat.cluster;
    remote.lease = cluster.lease;
    remote.join_deadline = seat.join_deadline;
    remote.logger = logger;
    return spawn_remote_holder(system,
                               hosted ? connector_to(system, hosted)
                                      : spawn_holder_connector(system, std::move(connector)),
                               std::move(remote));
  };
}

/// The process that hosts the holder outlives the workers that use it.
void wait_for_others(caf::actor_system& system, const ParameterHolder& holder) {
  using namespace std::chrono_literals;
  caf::scoped_actor self{system};
  for (auto seconds = 0;; ++seconds) {
    std::vector<WorkerId> left;
    self->request(holder, 10s, GetHolderStatus{})
      .receive([&](const HolderStatus& status) { left = status.workers; },
               [](const caf::error&) {});
    if (left.empty())
      return;
    if (seconds == 2) {
      std::string names;
      for (auto worker : left)
        names += " " + std::to_string(worker);
      std::cerr << "waiting for the workers that still train:" << names << std::endl;
    }
    std::this_thread::sleep_for(1s);
  }
}

} // namespace

RunConfig configuration_of(const TrainCommand& command) {
  auto config = read_run_config(sources_of(command, {}, nullptr));
  const auto problem = make_problem(*config.tree.find("problem"));
  make_optimizer_factory(*config.tree.find("optimizer"));
  make_model(*config.tree.find("model"), problem->spec());
  return config;
}

int train(const TrainCommand& command, const ClusterSeat* seat) {
  Interrupts interrupts; // before any other thread
  const auto resumed
    = command.resume.empty() ? std::filesystem::path{} : resumed_folder(command.resume);
  const auto config = read_run_config(sources_of(command, resumed, seat));
  if (command.print_config) {
    std::cout << (command.sources ? config::to_yaml_with_sources(config.tree)
                                  : config::to_yaml(config.tree));
    return static_cast<int>(ExitCode::done);
  }

  // All that can be wrong with data and model is found before a folder is made.
  const auto problem = make_problem(*config.tree.find("problem"));
  make_optimizer_factory(*config.tree.find("optimizer"));
  const auto model = make_model(*config.tree.find("model"), problem->spec());

  SessionOptions options;
  options.console = !command.quiet;
  options.progress = !command.no_progress;
  options.level = command.verbose ? Level::debug : Level::info;
  if (!resumed.empty()) {
    options.resume = load_run(resumed / saved_run_file);
    const auto done = options.resume->trainers.front().position.epochs;
    if (config.training.epochs > 0 && done >= config.training.epochs)
      throw ConfigError("the run has done " + std::to_string(done) + " epochs of "
                        + std::to_string(config.training.epochs)
                        + " already; give it more, like training.epochs="
                        + std::to_string(done + 10));
  }
  options.folder = resumed.empty() ? make_folder(config, seat) : resumed;
  write_file(options.folder / "config.yaml", config::to_yaml(config.tree));
  if (seat == nullptr)
    point_latest_if_possible(config, options.folder);
  if (!command.quiet)
    std::cerr << headline(config, *problem, *model) << "\n";

  const auto threads = threads_for(config.training.workers);
  const std::unique_ptr<SystemConfig> system_config
    = seat != nullptr ? std::make_unique<NodeSystemConfig>(threads, seat->trust)
                      : std::make_unique<SystemConfig>(threads);
  caf::actor_system system{*system_config};
  std::optional<HostedHolder> hosted;
  if (seat != nullptr && seat->hosts_holder)
    hosted.emplace(system, *seat);
  if (seat != nullptr)
    take_seat(system, *seat, hosted ? hosted->holder : ParameterHolder{}, config.cluster, options);
  const auto result = run_session(system, config, options, problem, interrupts);
  if (hosted)
    wait_for_others(system, hosted->holder);
  if (result.outcome != Outcome::failed)
    save_run(options.folder / saved_run_file, result.state);
  write_file(options.folder / "result.json", result_json(result, options.folder.string()) + "\n");
  if (result.outcome == Outcome::failed) {
    std::cerr << "troupe: training failed: " << result.reason << "\n";
  } else {
    if (result.outcome == Outcome::interrupted && !command.quiet)
      std::cerr << "stopped early (" << result.reason << "); continue with: troupe train --resume "
                << options.folder.string() << "\n";
    std::cout << (command.json ? result_json(result, options.folder.string())
                               : result_text(result, options.folder.string()))
              << std::endl;
  }
  return exit_code(result.outcome);
}

} // namespace troupe
