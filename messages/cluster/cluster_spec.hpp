// Which process of a cluster this is, and where the others are.
//
//   role        how many   trains   shard of the data
//   master      0 or 1     yes      0
//   worker      any        yes      its index; plus 1 if there is a master
//   ps          1 or more  no       holds parameters; called parameter holder elsewhere
//   evaluator   0 or 1     no       reads the whole evaluation set; in no list of the cluster
//
// The rules are those of TensorLayer 1.x (`TaskSpecDef`), with two fixes: the evaluator is also
// recognised in clusters with a master, and a master whose only worker becomes the evaluator still
// has a cluster.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// What a process does in its cluster.
enum class Role : std::uint8_t {
  master,    ///< trains, and initialises, saves and logs for all
  ps,        ///< holds parameters
  worker,    ///< trains
  evaluator, ///< measures the newest parameters while others train
};

/// "master", "ps", "worker" or "evaluator"
std::string_view to_string(Role role);

/// Reads "master" or its alias "chief", "ps", "worker", "evaluator".
/// @throws std::invalid_argument for anything else, naming these.
Role parse_role(std::string_view text);

/// A host and the port on which it listens.
struct Endpoint {
  std::string host;       ///< a name, or an address of IPv4 or (without brackets) IPv6
  std::uint16_t port = 0; ///< 1 to 65535
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes it for a comparison with a pointer
  auto operator<=>(const Endpoint&) const = default;
};

/// Reads "host:port", "10.0.0.1:port", "[::1]:port"; surrounding blanks are ignored.
/// @throws std::invalid_argument for anything else, saying what to write.
Endpoint parse_endpoint(std::string_view given);

/// "host:port", with brackets around IPv6: `parse_endpoint` reads it back.
std::string to_string(const Endpoint& endpoint);

/// The addresses of a comma-separated list, trimmed: "a:1, b:2". Blank text is no address.
/// @throws std::invalid_argument for an empty, malformed or repeated address.
std::vector<std::string> hosts_from(std::string_view list);

/// The same for addresses that are already separate. Throws as `hosts_from`.
std::vector<std::string> hosts_from_list(const std::vector<std::string>& hosts);

/// One process's view of the cluster. The default is a process that trains alone. A spec that fails
/// `check` can be queried, but the answers of several processes may not agree.
struct ClusterSpec {
  std::vector<std::string> ps{};      ///< "host:port" of each parameter holder
  std::vector<std::string> workers{}; ///< "host:port" of each worker, without the evaluator
  std::vector<std::string> masters{}; ///< "host:port" of the master, or empty
  Role role = Role::master;           ///< of this process
  int index = 0;                      ///< of this process within its role, from 0
  std::optional<std::string> trial{}; ///< number of the trial of a search, as in TF_CONFIG

  /// How many tasks train, if a launcher numbers its tasks and gives them no addresses. Task i is
  /// worker i, `ps` has one entry, which task 0 hosts, `workers` and `masters` are empty.
  int ranks = 0;
  bool last_worker_evaluates = false; ///< set by `last_worker_as_evaluator`
  std::optional<int> local_rank{};    ///< number on this machine, from 0: selects the device
  std::string source{};               ///< what the spec was read from, e.g. "TF_CONFIG"; "" if
                                      ///< written by hand
  std::string note{};                 ///< what `describe` adds about the choice; "" for nothing

  bool operator==(const ClusterSpec&) const = default;

  /// Whether there are both holders and processes that train.
  bool has_cluster() const {
    return !ps.empty() && (ranks > 0 || !workers.empty() || !masters.empty());
  }

  int remaining_workers() const; ///< workers in the cluster, without master and evaluator
  int num_workers() const;       ///< how many train, the master included; 1 without a cluster
  /// How many parameter holders there are; 0 without a cluster.
  int num_ps() const { return has_cluster() ? static_cast<int>(ps.size()) : 0; }

  /// Which of `num_workers()` shards of the data this process reads. Meaningless if it does not
  /// train.
  int shard_index() const {
    return has_cluster() && is_worker() && !masters.empty() ? index + 1 : index;
  }

  /// Whether this process initialises, saves and logs: the master, otherwise worker 0, otherwise
  /// (without a cluster) every process.
  bool is_master() const;
  /// Whether this process holds parameters, and does nothing else.
  bool is_ps() const { return role == Role::ps; }
  bool is_worker() const { return role == Role::worker; } ///< also a worker that evaluates

  /// The role evaluator, or the worker whose index equals the number of remaining workers.
  bool is_evaluator() const;
  /// Whether this process computes gradients.
  bool trains() const { return !is_ps() && !is_evaluator(); }

  /// Whether other processes connect to this one for parameters.
  bool hosts_holder() const {
    return has_cluster() && (is_ps() || (ranks > 0 && is_worker() && index == 0));
  }

  /// This cluster without its last worker, which becomes the evaluator. Every process of the
  /// cluster has to ask for it.
  /// @throws std::invalid_argument if no process would be left to train, there is an evaluator
  ///         already, or `check` throws.
  ClusterSpec last_worker_as_evaluator() const;
};

/// Checks every value before any connection is opened.
/// @throws std::invalid_argument naming the first bad one and its cure: malformed or repeated
///         addresses, a role that the cluster lacks, an index out of range.
void check(const ClusterSpec& spec);

/// The summary printed when training starts: source, cluster, this process. Several lines, each
/// ending in a line break; of long lists the first 8 addresses.
std::string describe(const ClusterSpec& spec);

} // namespace troupe
