#include "troupe/apps/node.hpp"

#include "troupe/actors/logger.hpp"
#include "troupe/actors/parameter_holder.hpp"
#include "troupe/apps/bulk_door.hpp"
#include "troupe/apps/node_system.hpp"
#include "troupe/apps/run_folder.hpp"
#include "troupe/apps/saved_run.hpp"
#include "troupe/messages/cluster_environment.hpp"
#include "troupe/messages/error.hpp"
#include "troupe/messages/type_ids.hpp"

#include <caf/scoped_actor.hpp>
#include <nlohmann/json.hpp>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <iostream>

namespace troupe {

namespace {

using namespace std::chrono_literals;

std::map<std::string, std::string> variables() {
  std::map<std::string, std::string> result;
  for (auto* word = environ; *word != nullptr; ++word) {
    const std::string text{*word};
    if (const auto equals = text.find('='); equals != std::string::npos)
      result[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return result;
}

/// "3" workers without addresses, or a list of addresses.
void take_workers(ClusterSpec& spec, const std::string& workers) {
  if (workers.empty())
    return;
  if (workers.find_first_not_of("0123456789") == std::string::npos)
    spec.ranks = std::stoi(workers.substr(0, 6));
  else
    spec.workers = hosts_from(workers);
}

/// The addresses of the configuration's section `cluster`, where the command line has none.
void take_section(ClusterSpec& spec, const NodeCommand& command) {
  const auto cluster = configuration_of(command.train).cluster;
  spec.ps = hosts_from_list(cluster.ps);
  if (spec.workers.empty() && spec.ranks == 0)
    spec.workers = hosts_from_list(cluster.workers);
}

ClusterSpec spec_of(const NodeCommand& command) {
  try {
    ClusterSpec spec;
    if (command.role.empty()) {
      auto found = cluster_from_environment(variables());
      if (!found)
        throw ConfigError(
          "this process does not know its role: give --role, or start it by a launcher that sets "
          "TF_CONFIG, JOB_NAME, RANK or SLURM_PROCID");
      spec = command.last_worker_evaluates ? found->last_worker_as_evaluator() : *found;
    } else {
      spec.role = parse_role(command.role);
      spec.index = command.index;
      if (command.ps.ends_with(":0")) // any free port, written into the port file
        spec.ps = {command.ps};
      else
        spec.ps = hosts_from(command.ps);
      spec.source = "command line";
      take_workers(spec, command.workers);
      if (command.master || spec.role == Role::master)
        spec.masters = {"master"}; // nobody connects to it, so its address does not matter
      if (spec.ps.empty())
        take_section(spec, command);
    }
    if (command.role.empty()) {
      check(spec);
    } else if (spec.role == Role::evaluator) {
      if (!spec.has_cluster())
        throw ConfigError("an evaluator needs --ps host:port, and with --workers how many train");
    } else if (!spec.is_ps() && (spec.ps.empty() || spec.num_workers() <= spec.shard_index())) {
      throw ConfigError(
        "worker " + std::to_string(spec.index) + " of " + std::to_string(spec.num_workers())
        + ": give --ps host:port, and with --workers how many workers there are (numbered from 0)");
    }
    return spec;
  } catch (const std::invalid_argument& e) {
    throw ConfigError(e.what());
  }
}

Endpoint endpoint_of(const std::string& address) {
  const auto colon = address.rfind(':');
  if (colon != std::string::npos && address.substr(colon + 1) == "0")
    return {address.substr(0, colon), 0};
  try {
    return parse_endpoint(address);
  } catch (const std::invalid_argument& e) {
    throw ConfigError(e.what());
  }
}

std::vector<Endpoint> holder_endpoints(const ClusterSpec& spec) {
  if (spec.ps.empty())
    throw ConfigError("a node needs the addresses of the parameter holders: --ps host:port,...");
  std::vector<Endpoint> endpoints;
  for (const auto& address : spec.ps)
    endpoints.push_back(endpoint_of(address));
  return endpoints;
}

/// Where this holder listens: its own entry of the list.
Endpoint own_endpoint(const ClusterSpec& spec) {
  const auto endpoints = holder_endpoints(spec);
  if (endpoints.size() == 1)
    return endpoints.front();
  if (spec.index < 0 || static_cast<std::size_t>(spec.index) >= endpoints.size())
    throw ConfigError("--index " + std::to_string(spec.index) + ": there are "
                      + std::to_string(endpoints.size()) + " parameter holders, numbered from 0");
  return endpoints[static_cast<std::size_t>(spec.index)];
}

/// The secret that all nodes of a cluster share; "": none.
std::string cluster_token() {
  const auto* token = std::getenv("TROUPE_TOKEN");
  return token == nullptr ? "" : token;
}

Trust trust_of(const NodeCommand& command, const ClusterSpec& spec, const std::string& host) {
  std::optional<Identity> identity;
  if (!command.certs.empty())
    identity = identity_in(command.certs,
                           command.name.empty()
                             ? std::string{to_string(spec.role)} + "-" + std::to_string(spec.index)
                             : command.name);
  return check_trust(identity, command.insecure, host);
}

/// A parameter holder's process: serves until it is told to end, or all who joined have left again.
class HolderNode {
public:
  HolderNode(const NodeCommand& command, const ClusterSpec& spec)
    : command_(command),
      endpoint_(own_endpoint(spec)),
      trust_(trust_of(command, spec, endpoint_.host)) {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGINT);
    sigaddset(&signals_, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr); // before any other thread
  }

  int serve() {
    NodeSystemConfig system_config{2, trust_};
    caf::actor_system system{system_config};
    caf::scoped_actor self{system};
    LoggerOptions logging;
    logging.console = console_of_this_process();
    const auto logger = spawn_logger(system, logging);
    ParameterHolderOptions options;
    options.store.cluster = cluster_token();
    options.store.pushes_per_second = command_.pushes_per_second;
    options.logger = logger;
    const auto holder = spawn_parameter_holder(system, options);
    restore(self, holder);
    {
      const BulkDoor door{system, holder, endpoint_.host, trust_, cluster_token()};
      const auto port = publish_holder(holder, endpoint_.host, endpoint_.port, trust_);
      std::cerr << "parameter holder listens on " << to_string(Endpoint{endpoint_.host, port})
                << (trust_.identity ? " (mutual TLS)" : " (plain)") << std::endl;
      if (!command_.port_file.empty())
        write_file(command_.port_file, std::to_string(port) + "\n");
      auto status = watch(self, holder);
      self->request(holder, answer_deadline, GetHolderStatus{})
        .receive([&](HolderStatus& last) { status = std::move(last); }, [](const caf::error&) {});
      save(self, holder);
      std::cerr << "parameter holder ends after " << status.pushes << " pushes (version "
                << status.version << ")" << std::endl;
      caf::anon_send_exit(holder, caf::exit_reason::user_shutdown);
    }
    caf::anon_send_exit(logger, caf::exit_reason::user_shutdown);
    return static_cast<int>(ExitCode::done);
  }

private:
  static constexpr auto answer_deadline = 10s;
  static constexpr int lost_for_good = 60; // seconds after which nobody who was lost is expected

  std::filesystem::path state_file() const {
    return std::filesystem::path{command_.folder} / "holder.bin";
  }

  void restore(caf::scoped_actor& self, const ParameterHolder& holder) {
    if (command_.folder.empty())
      return;
    std::filesystem::create_directories(command_.folder);
    if (!std::filesystem::exists(state_file()))
      return;
    const auto saved = load_holder(state_file());
    self->request(holder, answer_deadline, RestoreHolder{saved})
      .receive(
        [&](const Joined&) {
          restored_ = true;
          std::cerr << "parameter holder goes on from version " << saved.version << " of "
                    << state_file().string() << std::endl;
        },
        [&](const caf::error& error) { throw Failure(ExitCode::data, {sentence(error)}); });
  }

  /// Writes what the holder keeps, and its journal for people.
  void save(caf::scoped_actor& self, const ParameterHolder& holder) {
    if (command_.folder.empty())
      return;
    self->request(holder, answer_deadline, SaveHolder{})
      .receive(
        [&](const SavedHolder& saved) {
          if (saved.values.empty() || saved.version == saved_version_)
            return;
          save_holder(state_file(), saved);
          saved_version_ = saved.version;
          nlohmann::json journal;
          for (const auto& worker : saved.workers)
            journal[std::to_string(worker.worker)] = worker.journal;
          const nlohmann::json summary{
            {"version", saved.version}, {"pushes", saved.pushes}, {"journal", journal}};
          write_file(std::filesystem::path{command_.folder} / "holder.json", summary.dump() + "\n");
        },
        [](const caf::error&) {});
  }

  HolderStatus watch(caf::scoped_actor& self, const ParameterHolder& holder) {
    HolderStatus status;
    auto joined = false;
    auto alone = 0; // seconds for which nobody was there
    for (auto seconds = 1;; ++seconds) {
      const timespec second{1, 0};
      if (sigtimedwait(&signals_, nullptr, &second) > 0)
        return status;
      self->request(holder, answer_deadline, GetHolderStatus{})
        .receive([&](HolderStatus& now) { status = std::move(now); }, [](const caf::error&) {});
      seen_ = seen_ || !status.workers.empty();
      joined = joined || !status.workers.empty() || !status.journal.empty();
      alone = status.workers.empty() ? alone + 1 : 0;
      if (!command_.until_told && joined && status.workers.empty() && status.observers.empty()
          && (status.lost.empty() || alone >= lost_for_good) && (seen_ || !restored_))
        return status;
      if (command_.save_every > 0 && seconds % std::max(1, command_.save_every) == 0)
        save(self, holder);
    }
  }

  const NodeCommand& command_;
  Endpoint endpoint_;
  Trust trust_;
  sigset_t signals_{};
  Version saved_version_ = 0;
  bool restored_ = false, seen_ = false;
};

ClusterSeat seat_of(const NodeCommand& command, const ClusterSpec& spec) {
  ClusterSeat seat;
  seat.holders = holder_endpoints(spec);
  seat.trust = trust_of(command, spec, seat.holders.front().host);
  seat.cluster = cluster_token();
  seat.hosts_holder = spec.hosts_holder() && command.role.empty();
  seat.observes = spec.is_evaluator();
  seat.worker = static_cast<WorkerId>(seat.observes ? spec.num_workers() : spec.shard_index());
  seat.workers = static_cast<WorkerId>(spec.num_workers());
  seat.join_deadline = command.join_deadline;
  seat.folder = command.folder;
  return seat;
}

} // namespace

int node(const NodeCommand& command) {
  const auto spec = spec_of(command);
  if (command.role.empty())
    std::cerr << describe(spec);
  else if (spec.is_evaluator())
    std::cerr << "evaluator beside " << spec.num_workers() << " that train, parameters at "
              << spec.ps.front() << std::endl;
  else if (!spec.is_ps())
    std::cerr << to_string(spec.role) << " " << spec.index << " of " << spec.num_workers()
              << ", parameters at " << spec.ps.front() << std::endl;
  if (spec.is_ps())
    return HolderNode{command, spec}.serve();
  const auto seat = seat_of(command, spec);
  return seat.observes ? evaluate_versions(command.train, seat, command.evaluation)
                       : train(command.train, &seat);
}

} // namespace troupe
