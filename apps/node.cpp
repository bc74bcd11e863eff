#include "troupe/apps/node.hpp"

#include "troupe/apps/holder_node.hpp"
#include "troupe/apps/node_system.hpp"
#include "troupe/messages/cluster_environment.hpp"
#include "troupe/messages/slurm.hpp"

#include <unistd.h>

#include <array>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <iostream>

namespace troupe {

namespace {

using namespace std::chrono_literals;

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
      auto found = cluster_from_environment(environment_variables());
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

Trust trust_of(const NodeCommand& command, const ClusterSpec& spec, const std::string& host) {
  std::optional<Identity> identity;
  if (!command.certs.empty())
    identity = identity_in(command.certs,
                           command.name.empty()
                             ? std::string{to_string(spec.role)} + "-" + std::to_string(spec.index)
                             : command.name);
  return check_trust(identity, command.insecure, host);
}

/// What a short command prints; "" where it cannot run.
std::string output_of(const std::string& command) {
  std::string text;
  if (auto* pipe = popen(command.c_str(), "r")) {
    std::array<char, 256> piece{};
    while (std::fgets(piece.data(), piece.size(), pipe) != nullptr)
      text += piece.data();
    pclose(pipe);
  }
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0)
    text.pop_back();
  return text;
}

/// A job that is shorter than the margin would end before its first batch: half of it is left then.
std::chrono::seconds margin_within(Interrupts::Moment end, std::chrono::seconds margin) {
  const auto left
    = std::chrono::duration_cast<std::chrono::seconds>(end - std::chrono::system_clock::now());
  if (margin < left)
    return margin;
  const auto half = std::max(left / 2, std::chrono::seconds{0});
  std::cerr << "warning: the job has " << left.count() << " s left, and cluster.grace is "
            << margin.count() << " s; training ends " << half.count() << " s before the job does\n";
  return half;
}

/// When a Slurm job has to end training, so that it can save before its time is over; nothing
/// outside a job, or where its time has no end.
std::optional<Interrupts::Moment> drain_of_job(std::chrono::seconds margin) {
  const auto all = environment_variables();
  const auto id = all.find("SLURM_JOB_ID");
  if (id == all.end())
    return {};
  try {
    auto end = job_end(all);
    if (!end && id->second.find_first_not_of("0123456789") == std::string::npos)
      if (const auto left = output_of("squeue -h -j " + id->second + " -o %L 2>/dev/null");
          !left.empty())
        end = job_end(std::chrono::system_clock::now(), left);
    if (!end)
      return {};
    return drain_moment(*end, margin_within(*end, margin));
  } catch (const std::invalid_argument& e) {
    throw ConfigError(e.what());
  }
}

int hold(const NodeCommand& command, const ClusterSpec& spec) {
  const auto endpoint = own_endpoint(spec);
  return serve_holder({endpoint, trust_of(command, spec, endpoint.host), cluster_token(),
                       command.folder, command.port_file, command.until_told, command.save_every,
                       command.pushes_per_second});
}

/// Where a process of a Slurm job keeps its files, the same when the job is put back into the queue
/// and starts again; "" outside a job.
std::string folder_in_job(const std::map<std::string, std::string>& all) {
  const auto value = [&all](const char* name) {
    const auto found = all.find(name);
    return found == all.end() ? std::string{} : found->second;
  };
  if (value("SLURM_JOB_ID").empty() || value("SLURM_PROCID").empty())
    return {};
  return "runs/slurm-" + value("SLURM_JOB_ID") + "." + value("SLURM_STEP_ID") + "/process-"
         + value("SLURM_PROCID");
}

bool is_restart(const std::map<std::string, std::string>& all) {
  const auto found = all.find("SLURM_RESTART_COUNT");
  return found != all.end() && found->second != "0" && !found->second.empty();
}

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
  seat.drain_at = drain_of_job(
    std::chrono::seconds{static_cast<long>(read_configuration(command.train, seat).cluster.grace)});
  const auto all = environment_variables();
  seat.folder = command.folder.empty() ? folder_in_job(all) : command.folder;
  seat.restarted = is_restart(all);
  return seat;
}

} // namespace

int node(const NodeCommand& command) {
  check_join_deadline(command.join_deadline);
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
    return hold(command, spec);
  const auto seat = seat_of(command, spec);
  return seat.observes ? evaluate_versions(command.train, seat, command.evaluation)
                       : train(command.train, &seat);
}

} // namespace troupe
