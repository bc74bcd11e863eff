#include "apps/commands/node.hpp"

#include "apps/cluster/batch_job.hpp"
#include "apps/cluster/holder_node.hpp"
#include "apps/cluster/launch_variables.hpp"
#include "apps/cluster/node_place.hpp"
#include "apps/session/shown_config.hpp"
#include "apps/transport/reached_holder.hpp"
#include "apps/transport/token.hpp"
#include "apps/transport/trust.hpp"

#include <algorithm>
#include <chrono>
#include <iostream>

namespace troupe {

namespace {

Trust node_trust(const NodeCommand& command, const ClusterSpec& spec, const std::string& host) {
  std::optional<Identity> identity;
  if (!command.certs.empty())
    identity = identity_in(command.certs,
                           command.name.empty()
                             ? std::string{to_string(spec.role)} + "-" + std::to_string(spec.index)
                             : command.name);
  return check_trust(identity, command.insecure, host);
}

/// A plugin may have the rule by which the workers push.
void load_plugins_of_holder(const NodeCommand& command, const ClusterSpec& spec) {
  if (command.train.files.empty() && command.train.arguments.empty())
    return;
  ClusterMember worker;
  worker.workers = static_cast<WorkerId>(std::max(1, spec.num_workers()));
  read_configuration(command.train, &worker);
}

int hold(const NodeCommand& command, const ClusterSpec& spec) {
  load_plugins_of_holder(command, spec);
  const auto endpoint = own_endpoint(spec);
  return serve_holder({endpoint, node_trust(command, spec, endpoint.host), cluster_token(),
                       command.folder, command.port_file, command.keep_running, command.save_every,
                       command.pushes_per_second});
}

std::chrono::seconds grace_of(const RunConfig& config) {
  return std::chrono::seconds{static_cast<long>(config.cluster.grace)};
}

/// A task without a cluster trains as `troupe train` does, within the limits of its job.
int train_alone(const NodeCommand& command) {
  auto alone = command.train;
  alone.folder = command.folder.empty() ? folder_in_job() : command.folder;
  alone.folder_of_job = command.folder.empty() && !alone.folder.empty();
  alone.drain_at = drain_of_job(grace_of(read_configuration(alone, nullptr)));
  return train(alone);
}

ClusterMember place_of_member(const NodeCommand& command, const ClusterSpec& spec) {
  ClusterMember member;
  member.hosts_holder = spec.hosts_holder() && command.role.empty();
  member.is_reader = spec.is_evaluator();
  member.worker = static_cast<WorkerId>(member.is_reader ? spec.num_workers() : spec.shard_index());
  member.workers = static_cast<WorkerId>(spec.num_workers());
  member.folder = command.folder.empty() ? folder_in_job() : command.folder;
  member.folder_of_job = command.folder.empty() && !member.folder.empty();
  return member;
}

/// Shows a worker's configuration; for a holder or an evaluator, that of the cluster's workers. It
/// needs no certificates.
int show_node(const NodeCommand& command, const ClusterSpec& spec) {
  auto shown = command.train;
  if (!spec.has_cluster() && command.role.empty()) {
    shown.folder = command.folder.empty() ? folder_in_job() : command.folder;
    return train(shown);
  }
  if (spec.is_ps()) {
    ClusterMember worker;
    worker.workers = static_cast<WorkerId>(std::max(1, spec.num_workers()));
    return train(shown, &worker);
  }
  auto member = place_of_member(command, spec);
  if (member.is_reader) // an evaluator resumes nothing
    member.folder.clear();
  return train(shown, &member);
}

} // namespace

ClusterMember member_of(const NodeCommand& command, const ClusterSpec& spec) {
  auto member = place_of_member(command, spec);
  member.holders = holder_endpoints(spec);
  member.trust = node_trust(command, spec, member.holders.front().host);
  member.cluster = cluster_token();
  member.join_deadline = command.join_deadline;
  member.drain_at = drain_of_job(grace_of(read_configuration(command.train, &member)));
  member.restarted = job_starts_again();
  member.launched = environment_variables().contains(launched_run);
  return member;
}

int node(const NodeCommand& command) {
  check_join_deadline(command.join_deadline);
  const auto spec = place_in_cluster(command);
  if (command.role.empty())
    std::cerr << describe(spec);
  else if (spec.is_evaluator())
    std::cerr << "evaluator for " << spec.num_workers() << " workers, parameters at "
              << spec.ps.front() << std::endl;
  else if (!spec.is_ps())
    std::cerr << to_string(spec.role) << " " << spec.index << " of " << spec.num_workers()
              << ", parameters at " << spec.ps.front() << std::endl;
  if (shows_config(command.train))
    return show_node(command, spec);
  if (command.role.empty() && !spec.has_cluster())
    return train_alone(command);
  if (spec.is_ps())
    return hold(command, spec);
  const auto member = member_of(command, spec);
  return member.is_reader ? evaluate_versions(command.train, member, command.evaluation)
                          : train(command.train, &member);
}

} // namespace troupe
