#include "apps/commands/node.hpp"

#include "apps/cluster/holder_node.hpp"
#include "apps/cluster/launch_variables.hpp"
#include "apps/cluster/node_place.hpp"
#include "apps/commands/shown_config.hpp"
#include "apps/session/batch_job.hpp"
#include "apps/transport/node_system.hpp"

#include <algorithm>
#include <chrono>
#include <iostream>

namespace troupe {

namespace {

Trust trust_of(const NodeCommand& command, const ClusterSpec& spec, const std::string& host) {
  std::optional<Identity> identity;
  if (!command.certs.empty())
    identity = identity_in(command.certs,
                           command.name.empty()
                             ? std::string{to_string(spec.role)} + "-" + std::to_string(spec.index)
                             : command.name);
  return check_trust(identity, command.insecure, host);
}

int hold(const NodeCommand& command, const ClusterSpec& spec) {
  const auto endpoint = own_endpoint(spec);
  return serve_holder({endpoint, trust_of(command, spec, endpoint.host), cluster_token(),
                       command.folder, command.port_file, command.until_told, command.save_every,
                       command.pushes_per_second});
}

std::chrono::seconds grace_of(const RunConfig& config) {
  return std::chrono::seconds{static_cast<long>(config.cluster.grace)};
}

/// A task that no others share its data with trains as `troupe train` does, and minds its job.
int train_alone(const NodeCommand& command) {
  auto alone = command.train;
  alone.folder = command.folder.empty() ? folder_in_job() : command.folder;
  alone.folder_of_job = command.folder.empty() && !alone.folder.empty();
  alone.drain_at = drain_of_job(grace_of(read_configuration(alone, nullptr)));
  return train(alone);
}

ClusterMember place_of_member(const NodeCommand& command, const ClusterSpec& spec) {
  ClusterMember seat;
  seat.hosts_holder = spec.hosts_holder() && command.role.empty();
  seat.observes = spec.is_evaluator();
  seat.worker = static_cast<WorkerId>(seat.observes ? spec.num_workers() : spec.shard_index());
  seat.workers = static_cast<WorkerId>(spec.num_workers());
  seat.folder = command.folder.empty() ? folder_in_job() : command.folder;
  seat.folder_of_job = command.folder.empty() && !seat.folder.empty();
  return seat;
}

/// A worker's configuration; of a holder and an evaluator, that of the workers beside it. It needs
/// no certificates.
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
  auto seat = place_of_member(command, spec);
  if (seat.observes) // it goes on from nothing
    seat.folder.clear();
  return train(shown, &seat);
}

} // namespace

ClusterMember member_of(const NodeCommand& command, const ClusterSpec& spec) {
  auto seat = place_of_member(command, spec);
  seat.holders = holder_endpoints(spec);
  seat.trust = trust_of(command, spec, seat.holders.front().host);
  seat.cluster = cluster_token();
  seat.join_deadline = command.join_deadline;
  seat.drain_at = drain_of_job(grace_of(read_configuration(command.train, &seat)));
  seat.restarted = job_starts_again();
  seat.launched = environment_variables().contains(launched_run);
  return seat;
}

int node(const NodeCommand& command) {
  check_join_deadline(command.join_deadline);
  const auto spec = place_in_cluster(command);
  if (command.role.empty())
    std::cerr << describe(spec);
  else if (spec.is_evaluator())
    std::cerr << "evaluator beside " << spec.num_workers() << " that train, parameters at "
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
  const auto seat = member_of(command, spec);
  return seat.observes ? evaluate_versions(command.train, seat, command.evaluation)
                       : train(command.train, &seat);
}

} // namespace troupe
