#include "apps/cluster/node_place.hpp"

#include "apps/cluster/launch_variables.hpp"
#include "base/text/number_in.hpp"
#include "base/text/text.hpp"
#include "messages/cluster/cluster_environment.hpp"

namespace troupe {

namespace {

constexpr int most_workers = 1'000'000;

int number_of_workers(const std::string& text) {
  const auto count = number_in<int>(text).value_or(0);
  if (count < 1 || count > most_workers)
    throw ConfigError("--workers " + text + ": give the number of workers, from 1 to "
                      + std::to_string(most_workers) + ", or the address of each as host:port");
  return count;
}

/// A number of workers, like "3", or a list of addresses.
void take_workers(ClusterSpec& spec, const std::string& workers) {
  if (workers.empty())
    return;
  if (is_digits(workers))
    spec.ranks = number_of_workers(workers);
  else
    spec.workers = hosts_from(workers);
}

bool has_any_port(const std::string& address) { return address.ends_with(":0"); }

/// Parses an address whose port may be 0.
Endpoint endpoint_of(const std::string& address) {
  if (!has_any_port(address))
    return parse_endpoint(address);
  auto endpoint = parse_endpoint(address.substr(0, address.size() - 1) + "1");
  endpoint.port = 0;
  return endpoint;
}

/// Takes the addresses of the configuration's section `cluster` that the command line does not
/// have.
void take_section(ClusterSpec& spec, const NodeCommand& command) {
  const auto cluster = cluster_configuration(command.train).cluster;
  spec.ps = hosts_from_list(cluster.ps);
  if (spec.workers.empty() && spec.ranks == 0)
    spec.workers = hosts_from_list(cluster.workers);
}

/// The number of processes with a node's role. A number of workers may be given with a master and
/// several holders, and a holder need not know the workers.
int count_of(const ClusterSpec& spec) {
  switch (spec.role) {
  case Role::ps: return static_cast<int>(spec.ps.size());
  case Role::worker: return spec.has_cluster() ? spec.remaining_workers() : 1;
  case Role::master:
  case Role::evaluator: break;
  }
  return 1;
}

void check_place(const ClusterSpec& spec) {
  const auto role = std::string{to_string(spec.role)};
  if (spec.ps.empty())
    throw ConfigError("--role " + role
                      + " needs the addresses of the parameter holders; give --ps host:port,...");
  for (const auto& address : spec.ps)
    if (endpoint_of(address).port == 0 && !spec.is_ps())
      throw ConfigError("--ps " + address
                        + ": port 0, any free port, is for the parameter holder itself; give the "
                          "port that it listens on");
  if (spec.role == Role::evaluator && !spec.has_cluster())
    throw ConfigError("an evaluator needs --workers, the number of workers that train");
  const auto count = count_of(spec);
  if (spec.index >= 0 && spec.index < count)
    return;
  const auto numbers = count == 1 ? std::string{"only 0"} : "0 to " + std::to_string(count - 1);
  throw ConfigError(
    "--index " + std::to_string(spec.index) + ": there " + (count == 1 ? "is 1 " : "are ")
    + (count == 1 ? role : std::to_string(count) + " of role " + role) + ", so give " + numbers
    + (spec.is_worker() ? ", or give with --workers the number of workers besides a master" : ""));
}

ClusterSpec place_by_hand(const NodeCommand& command) {
  if (command.last_worker_evaluates)
    throw ConfigError("--last-worker-evaluates is for processes that read their place from the "
                      "environment, and this one has --role "
                      + command.role + "; start the evaluator by --role evaluator");
  ClusterSpec spec;
  spec.role = parse_role(command.role);
  spec.index = command.index;
  spec.source = "command line";
  if (has_any_port(command.ps)) // the holder writes the port into the port file
    spec.ps = {command.ps};
  else
    spec.ps = hosts_from(command.ps);
  take_workers(spec, command.workers);
  if (command.master || spec.role == Role::master)
    spec.masters = {"master"}; // no process connects to it, so its address does not matter
  if (spec.ps.empty())
    take_section(spec, command);
  check_place(spec);
  return spec;
}

/// Whether the command or the configuration names a cluster although the environment does not.
bool names_cluster(const NodeCommand& command) {
  return !command.ps.empty() || !command.workers.empty() || command.master
         || !read_configuration(command.train, nullptr).cluster.ps.empty();
}

ClusterSpec place_in_environment(const NodeCommand& command) {
  ClusterDefaults defaults;
  defaults.required = command.cluster_required;
  const auto found = cluster_from_environment(environment_variables(), defaults);
  if (!found && names_cluster(command))
    throw ConfigError("this process does not know its role: give --role, or start it with a "
                      "launcher that sets TF_CONFIG, JOB_NAME, RANK or SLURM_PROCID");
  const auto spec = found.value_or(ClusterSpec{});
  if (defaults.required && !spec.has_cluster())
    throw ConfigError(
      "a cluster is required, but " + spec.source
      + " names none; add the parameter holders and the workers, or start several tasks");
  return command.last_worker_evaluates ? spec.last_worker_as_evaluator() : spec;
}

} // namespace

ClusterSpec place_in_cluster(const NodeCommand& command) {
  try {
    return command.role.empty() ? place_in_environment(command) : place_by_hand(command);
  } catch (const std::invalid_argument& e) {
    throw ConfigError(e.what());
  }
}

std::vector<Endpoint> holder_endpoints(const ClusterSpec& spec) {
  std::vector<Endpoint> endpoints;
  for (const auto& address : spec.ps)
    endpoints.push_back(endpoint_of(address));
  return endpoints;
}

Endpoint own_endpoint(const ClusterSpec& spec) {
  return holder_endpoints(spec).at(static_cast<std::size_t>(spec.index));
}

} // namespace troupe
