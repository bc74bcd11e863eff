#include "troupe/apps/node.hpp"

#include "troupe/actors/parameter_holder.hpp"
#include "troupe/apps/node_system.hpp"
#include "troupe/apps/run_folder.hpp"
#include "troupe/messages/cluster_environment.hpp"
#include "troupe/messages/type_ids.hpp"

#include <caf/scoped_actor.hpp>
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

ClusterSpec spec_of(const NodeCommand& command) {
  try {
    ClusterSpec spec;
    if (command.role.empty()) {
      auto found = cluster_from_environment(variables());
      if (!found)
        throw ConfigError(
          "this process does not know its role: give --role, or start it by a launcher that sets "
          "TF_CONFIG, JOB_NAME, RANK or SLURM_PROCID");
      spec = *found;
    } else {
      spec.role = parse_role(command.role);
      spec.index = command.index;
      if (spec.role == Role::ps
          && command.ps.ends_with(":0")) // any free port, written into the port file
        spec.ps = {command.ps};
      else
        spec.ps = hosts_from(command.ps);
      spec.source = "command line";
      take_workers(spec, command.workers);
    }
    if (command.role.empty()) {
      check(spec);
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

Endpoint holder_endpoint(const ClusterSpec& spec) {
  if (spec.ps.size() != 1)
    throw ConfigError(
      spec.ps.empty()
        ? std::string{"a node needs the address of the parameter holder: --ps host:port"}
        : "there are " + std::to_string(spec.ps.size())
            + " parameter holders; this version of Troupe keeps all parameters in one: name one");
  const auto colon = spec.ps.front().rfind(':');
  if (spec.ps.front().substr(colon + 1) == "0")
    return {spec.ps.front().substr(0, colon), 0};
  try {
    return parse_endpoint(spec.ps.front());
  } catch (const std::invalid_argument& e) {
    throw ConfigError(e.what());
  }
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

/// Serves parameters until it is told to end, or all who joined have left again.
int serve(const NodeCommand& command, const ClusterSpec& spec) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);

  const auto endpoint = holder_endpoint(spec);
  const auto trust = trust_of(command, spec, endpoint.host);
  NodeSystemConfig system_config{2, trust};
  caf::actor_system system{system_config};
  const auto holder = spawn_parameter_holder(system);
  const auto port = publish_holder(holder, endpoint.host, endpoint.port, trust);
  std::cerr << "parameter holder listens on " << to_string(Endpoint{endpoint.host, port})
            << (trust.identity ? " (mutual TLS)" : " (plain)") << std::endl;
  if (!command.port_file.empty())
    write_file(command.port_file, std::to_string(port) + "\n");

  caf::scoped_actor self{system};
  HolderStatus status;
  auto joined = false, told = false;
  while (!told && !(joined && status.workers.empty())) {
    const timespec second{1, 0};
    told = sigtimedwait(&signals, nullptr, &second) > 0;
    self->request(holder, 10s, GetHolderStatus{})
      .receive([&](HolderStatus& s) { status = std::move(s); }, [](const caf::error&) {});
    joined = joined || status.pushes > 0 || !status.workers.empty();
  }
  std::cerr << "parameter holder ends after " << status.pushes << " pushes (version "
            << status.version << ")" << std::endl;
  caf::anon_send_exit(holder, caf::exit_reason::user_shutdown);
  return static_cast<int>(ExitCode::done);
}

int work(const NodeCommand& command, const ClusterSpec& spec) {
  if (spec.is_evaluator())
    throw ConfigError(
      "this version of Troupe has no evaluator on a node of its own; worker 0 evaluates");
  ClusterSeat seat;
  seat.holder = holder_endpoint(spec);
  seat.trust = trust_of(command, spec, seat.holder.host);
  seat.hosts_holder = spec.hosts_holder() && command.role.empty();
  seat.worker = static_cast<WorkerId>(spec.shard_index());
  seat.workers = static_cast<WorkerId>(spec.num_workers());
  seat.join_deadline = command.join_deadline;
  seat.folder = command.folder;
  return train(command.train, &seat);
}

} // namespace

int node(const NodeCommand& command) {
  const auto spec = spec_of(command);
  if (command.role.empty())
    std::cerr << describe(spec);
  else if (!spec.is_ps())
    std::cerr << to_string(spec.role) << " " << spec.index << " of " << spec.num_workers()
              << ", parameters at " << spec.ps.front() << std::endl;
  return spec.is_ps() ? serve(command, spec) : work(command, spec);
}

} // namespace troupe
