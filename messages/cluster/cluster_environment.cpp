#include "messages/cluster/cluster_environment.hpp"

#include "base/text/nearest_name.hpp"
#include "base/text/number_in.hpp"
#include "base/text/text.hpp"
#include "messages/cluster/slurm.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>

namespace troupe {

namespace {

using Json = nlohmann::json;
using Variables = std::map<std::string, std::string>;

constexpr std::int64_t most_int = std::numeric_limits<int>::max();

[[noreturn]] void refuse_variable(const std::string& sentence) {
  throw std::invalid_argument(sentence);
}

// Runs `read`, and puts the name of what was read in front of its error.
template <class Read>
auto naming(const std::string& name, Read read) {
  try {
    return read();
  } catch (const std::invalid_argument& error) {
    refuse_variable(name + ": " + error.what());
  }
}

std::optional<std::int64_t> whole_up_to(const std::string& text, std::int64_t most) {
  const auto value = number_in<std::int64_t>(text);
  return value && *value >= 0 && *value <= most ? value : std::nullopt;
}

const std::string* find(const Variables& variables, const std::string& name) {
  const auto found = variables.find(name);
  return found == variables.end() || found->second.empty() ? nullptr : &found->second;
}

const std::string& get(const Variables& variables, const std::string& name,
                       const std::string& cure) {
  if (const auto* text = find(variables, name))
    return *text;
  refuse_variable(name + " is not set; " + cure);
}

std::int64_t number(const Variables& variables, const std::string& name, const std::string& cure,
                    std::int64_t most = most_int) {
  const auto& text = get(variables, name, cure);
  if (const auto value = whole_up_to(text, most))
    return *value;
  refuse_variable(name + " is " + in_quotes(text) + ", not a whole number from 0 to "
                  + std::to_string(most) + "; correct it");
}

std::vector<std::string> hosts(const Variables& variables, const std::string& name) {
  const auto* text = find(variables, name);
  return text ? naming(name, [&] { return hosts_from(*text); }) : std::vector<std::string>{};
}

// Member `key` of `object`; nullptr if it is absent or null.
const Json* member(const Json& object, const std::string& key) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

// Numbers and text as written. Nested values are not printed, since they may be deep.
std::string plain(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.is_structured() ? "" : value.dump();
}

[[noreturn]] void refuse_type(const std::string& key, const Json& value,
                              const std::string& wanted) {
  const auto text = value.is_structured() ? "" : in_quotes(plain(value)) + ", ";
  refuse_variable("TF_CONFIG: " + key + " is " + text + "of type " + value.type_name() + "; give "
                  + wanted);
}

const Json* object_member(const Json& object, const std::string& key, const std::string& example) {
  const auto* value = member(object, key);
  if (value && !value->is_object())
    refuse_type(key, *value, "an object, as " + example);
  return value;
}

// The list of addresses under `key`: an array, text with commas, or nothing.
std::vector<std::string> json_hosts(const Json& cluster, const std::string& key) {
  const auto path = "cluster." + key;
  const auto wanted = R"(a list, as ["host:port", "host:port"])";
  const auto* value = member(cluster, key);
  if (!value)
    return {};
  std::vector<std::string> list;
  if (value->is_array())
    for (const auto& host : *value)
      if (host.is_string())
        list.push_back(host);
      else
        refuse_type(path + "[" + std::to_string(list.size()) + "]", host,
                    R"(text, as "host:port")");
  else if (!value->is_string())
    refuse_type(path, *value, value->is_object() ? wanted + std::string{"; not sparse"} : wanted);
  return naming("TF_CONFIG: " + path, [&] {
    return value->is_string() ? hosts_from(value->get<std::string>()) : hosts_from_list(list);
  });
}

/// Refuses unknown members: a mistyped one would be ignored, and the process would train alone.
void check_members(const Json& object, const std::string& name,
                   const std::vector<std::string>& known) {
  for (const auto& [key, value] : object.items()) {
    if (std::find(known.begin(), known.end(), key) != known.end())
      continue;
    refuse_variable("TF_CONFIG: " + in_quotes(key) + " is not a member of " + name
                    + suggestion(key, known, "take it out, or correct it"));
  }
}

void read_cluster(const Json& cluster, ClusterSpec& spec) {
  for (const auto& [key, value] : cluster.items()) {
    if (key == "evaluator")
      refuse_variable("TF_CONFIG: cluster.evaluator is not part of the cluster; take it out");
    if (key != "ps" && key != "worker" && key != "master" && key != "chief")
      refuse_variable("TF_CONFIG: " + in_quotes(key)
                      + " in cluster is unknown; give ps, worker or chief");
  }
  for (const auto* key : {"ps", "worker"})
    if (!cluster.contains(key))
      refuse_variable("TF_CONFIG: cluster." + std::string{key}
                      + R"( is missing; give it a list, as ["host:port"])");
  if (member(cluster, "master") && member(cluster, "chief"))
    refuse_variable("TF_CONFIG: cluster.master and cluster.chief are the same; give one of them");
  spec.ps = json_hosts(cluster, "ps");
  spec.workers = json_hosts(cluster, "worker");
  spec.masters = json_hosts(cluster, member(cluster, "chief") ? "chief" : "master");
}

void read_task(const Json& task, ClusterSpec& spec) {
  check_members(task, "task", {"type", "index", "trial", "cloud"});
  if (const auto* type = member(task, "type")) {
    if (!type->is_string())
      refuse_type("task.type", *type, "text, as \"worker\"");
    spec.role
      = naming("TF_CONFIG: task.type", [&] { return parse_role(type->get<std::string>()); });
  }
  if (const auto* index = member(task, "index")) {
    const auto value = whole_up_to(plain(*index), most_int);
    if (!value)
      refuse_type("task.index", *index, "a whole number from 0");
    spec.index = static_cast<int>(*value);
  } else if (spec.role == Role::worker || spec.role == Role::ps)
    refuse_variable("TF_CONFIG: task.index is missing; give the number of this process, from 0");
  if (const auto* trial = member(task, "trial")) {
    if (!trial->is_string() && !trial->is_number_integer())
      refuse_type("task.trial", *trial, "a whole number or text");
    spec.trial = plain(*trial);
  }
}

/// A process with a role has peers, which would wait for it.
void refuse_role_alone(const ClusterSpec& spec, const std::string& name, const std::string& cure) {
  if (spec.ps.empty() && spec.workers.empty() && spec.masters.empty())
    refuse_variable(name + ": the role is " + std::string{to_string(spec.role)}
                    + ", but there is no cluster; " + cure);
}

ClusterSpec from_tf_config(const std::string& text) {
  Json config;
  try {
    config = Json::parse(text);
  } catch (const Json::parse_error& error) {
    refuse_variable("TF_CONFIG is not JSON: it breaks at byte "
                    + std::to_string(std::min(error.byte, text.size()))
                    + "; look for a missing quote, comma or bracket there");
  } catch (const Json::exception&) { // for example 1e999
    refuse_variable("TF_CONFIG has a number that is too large; correct it");
  }
  if (!config.is_object())
    refuse_variable("TF_CONFIG is not a JSON object but " + std::string{config.type_name()}
                    + R"(; give {"cluster": {...}, "task": {...}})");
  // The last three only concern TensorFlow: what runs the job, and how its processes communicate.
  check_members(config, "TF_CONFIG", {"cluster", "task", "job", "environment", "rpc_layer"});
  ClusterSpec spec;
  const auto* cluster = object_member(config, "cluster", R"({"ps": [...], "worker": [...]})");
  if (cluster && !cluster->empty())
    read_cluster(*cluster, spec);
  if (const auto* task = object_member(config, "task", R"({"type": "worker", "index": 0})"))
    read_task(*task, spec);
  if (const auto* task = member(config, "task"); task && member(*task, "type"))
    refuse_role_alone(spec, "TF_CONFIG: task.type",
                      "give cluster, with ps and worker, or leave "
                      "task out to train alone");
  return spec;
}

ClusterSpec from_job_name(const Variables& variables, const std::string& job) {
  ClusterSpec spec;
  spec.role = naming("JOB_NAME (unset it if it is not meant)", [&] { return parse_role(job); });
  const auto cure = "give the number of this " + job + ", from 0, or unset JOB_NAME";
  spec.index = static_cast<int>(number(variables, "TASK_INDEX", cure));
  spec.ps = hosts(variables, "PS_HOSTS");
  spec.workers = hosts(variables, "WORKER_HOSTS");
  spec.masters = hosts(variables, "MASTER_HOST");
  if (spec.role != Role::master) // a master alone is allowed
    refuse_role_alone(spec, "JOB_NAME",
                      "give PS_HOSTS and WORKER_HOSTS, or unset JOB_NAME to train alone");
  return spec;
}

struct Launcher {
  std::string name, rank, size, local_rank;
};

const Launcher torchrun{"torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK"};
const Launcher open_mpi{"mpiexec", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
                        "OMPI_COMM_WORLD_LOCAL_RANK"};
const Launcher hydra{"mpiexec", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"};
const Launcher slurm{"Slurm", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID"};

std::string at_port(const std::string& host, std::int64_t port, const std::string& blamed) {
  const bool bare_ipv6 = host.find(':') != host.npos && host.front() != '[';
  const auto text = (bare_ipv6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
  return naming(blamed, [&] { return to_string(parse_endpoint(text)); });
}

std::string master_address(const Variables& variables, const ClusterDefaults& defaults,
                           ClusterSpec& spec) {
  const auto host = get(variables, "MASTER_ADDR", "give the host of rank 0");
  if (defaults.port)
    return at_port(host, *defaults.port, "MASTER_ADDR and the given port");
  auto port = number(variables, "MASTER_PORT", "give a free port on the host of rank 0", 65'535);
  const auto* store = find(variables, "TORCHELASTIC_USE_AGENT_STORE");
  if (spec.source == torchrun.name && store && *store == "True") {
    spec.note = "torchrun itself listens on MASTER_PORT " + std::to_string(port)
                + ", so the holder uses another";
    port += port < 65'535 ? 1 : -1;
  }
  return at_port(host, port, "MASTER_ADDR and MASTER_PORT");
}

std::string slurm_address(const Variables& variables, const ClusterDefaults& defaults) {
  const auto* name
    = find(variables, "SLURM_STEP_NODELIST") ? "SLURM_STEP_NODELIST" : "SLURM_JOB_NODELIST";
  const auto list = get(variables, name, "start the tasks with srun");
  auto host = naming(name, [&] { return expand_node_list(list).front(); });
  if (const auto address = defaults.addresses.find(host); address != defaults.addresses.end())
    host = address->second;
  if (defaults.port)
    return at_port(host, *defaults.port, "the first node and the given port");
  const auto job = number(variables, "SLURM_JOB_ID", "start the tasks with srun, or give a port",
                          std::numeric_limits<std::uint32_t>::max());
  return at_port(host, 20'000 + job % 20'000, name);
}

// Nothing if this launcher did not start the process.
std::optional<ClusterSpec> by_rank(const Variables& variables, const ClusterDefaults& defaults,
                                   const Launcher& launcher) {
  const int set = !!find(variables, launcher.rank) + !!find(variables, launcher.size);
  // A shell in a Slurm job has one of the two without being a task of a cluster.
  if (set == 0 || (set == 1 && launcher.name == slurm.name))
    return {};
  const auto cure = "set both " + launcher.rank + " and " + launcher.size + ", or unset both";
  const auto rank = number(variables, launcher.rank, cure);
  const auto size = number(variables, launcher.size, cure);
  if (rank >= size)
    refuse_variable(launcher.rank + " is " + std::to_string(rank) + ", but " + launcher.size
                    + " is " + std::to_string(size)
                    + "; ranks count from 0, so correct one of them");
  ClusterSpec spec;
  spec.source = launcher.name;
  if (find(variables, launcher.local_rank))
    spec.local_rank = static_cast<int>(number(variables, launcher.local_rank, ""));
  if (size == 1) {
    spec.note = "there is one task, so no port is opened";
    return spec;
  }
  const bool in_slurm = find(variables, "SLURM_JOB_NODELIST") && !find(variables, "MASTER_ADDR");
  spec.role = Role::worker;
  spec.index = static_cast<int>(rank);
  spec.ranks = static_cast<int>(size);
  spec.ps = {launcher.name == slurm.name || (launcher.name == "mpiexec" && in_slurm)
               ? slurm_address(variables, defaults)
               : master_address(variables, defaults, spec)};
  return spec;
}

} // namespace

std::optional<ClusterSpec> cluster_from_environment(const Variables& variables,
                                                    const ClusterDefaults& defaults) {
  std::optional<ClusterSpec> spec;
  if (const auto* config = find(variables, "TF_CONFIG")) {
    spec = from_tf_config(*config);
    spec->source = "TF_CONFIG";
  } else if (const auto* job = find(variables, "JOB_NAME")) {
    spec = from_job_name(variables, *job);
    spec->source = "JOB_NAME";
  } else {
    for (const auto* launcher : {&torchrun, &open_mpi, &hydra, &slurm})
      if ((spec = by_rank(variables, defaults, *launcher)))
        break;
  }
  if (spec) {
    naming(spec->source, [&] { check(*spec); });
    return spec;
  }
  for (const auto* name : {"PS_HOSTS", "WORKER_HOSTS"})
    if (find(variables, name))
      refuse_variable(name + std::string{" is set, but JOB_NAME is not; give both, or unset it"});
  if (defaults.required)
    refuse_variable(
      "a cluster is required, but the environment names none; set TF_CONFIG or JOB_NAME, or "
      "start with torchrun, srun or mpiexec");
  return {};
}

} // namespace troupe
