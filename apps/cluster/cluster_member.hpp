#pragma once

#include "actors/parameters/remote_holder.hpp"
#include "apps/block_transfer/block_listener.hpp"
#include "apps/cluster/holder_files.hpp"
#include "apps/session/run_session.hpp"
#include "apps/transport/published_actor.hpp"

#include <optional>

namespace troupe {

/// A worker's place in a cluster.
struct ClusterMember {
  Trust trust;
  std::vector<Endpoint> holders; ///< where the parameter holders are, by shard
  bool hosts_holder = false;  ///< the only one is in this very process, which waits for the others
  std::string cluster;        ///< the secret of the cluster; "": none
  WorkerId worker = 0;        ///< number of this worker; an observer's is that of the workers
  bool observes = false;      ///< it does not train
  WorkerId workers = 1;       ///< in the cluster
  double join_deadline = 60;  ///< seconds to wait for the holder
  std::string folder;         ///< for this worker's files; "": a new run folder
  bool folder_of_job = false; ///< it is named by the job: what starts again has it, too
  bool restarted = false;     ///< its job was put back into the queue: go on from what is there
  bool launched = false;      ///< by a launcher, which tells people how to go on
  std::optional<Interrupts::Moment> drain_at; ///< when the time of the job is nearly used up
};

/// A parameter holder in a worker's process, which other processes reach, too.
class HostedHolder {
public:
  /// @param folder of this process's run, where it is saved; "": nowhere
  /// @param goes_on from what is there
  /// @throws IoError where it cannot listen, DataError for a state that cannot be gone on from.
  HostedHolder(caf::actor_system& system, const ClusterMember& member,
               const std::filesystem::path& folder, bool goes_on);
  ~HostedHolder();
  HostedHolder(const HostedHolder&) = delete;
  HostedHolder& operator=(const HostedHolder&) = delete;

  const ParameterHolder& holder() const { return holder_; }
  /// Blocks until the other workers have left; those that have not come yet have a minute. Whoever
  /// interrupts hears of it first; a second interrupt ends the program.
  void wait_for_others(Interrupts& interrupts);

  /// Writes what it has into the folder.
  bool save();

private:
  HolderFiles files_;
  ParameterHolder holder_;
  std::optional<BlockListener> listener_;
  std::optional<PublishedActor> published_;
};

/// How a worker stands for the cluster's holders.
RemoteHolderOptions remote_holder_options(const ClusterMember& member,
                                          const ClusterOptions& cluster, WorkerId worker,
                                          const Logger& logger);

/// A worker's way to the cluster's holders.
using HolderConnection = std::function<RemoteHolder(WorkerId worker, const Logger& logger)>;

/// @param hosted the holder of this process, or null
HolderConnection connection_to_holder(caf::actor_system& system, const ClusterMember& member,
                                      const ParameterHolder& hosted, const ClusterOptions& cluster);

/// Introduces this process to the holders, so that nobody waits for one that does not let it in.
/// @returns whether all of them were there. @throws Failure with ExitCode::refused where its token
/// is not a holder's.
bool check_admission(caf::actor_system& system, const ClusterMember& member,
                     const ClusterOptions& cluster);

/// Lets a session take part: waits until the holders answer, and gives each worker its way to them.
/// @param hosted the holder of this process, or null
/// @throws Failure as check_admission does; with ExitCode::unavailable where a holder is not there
/// within the deadline;
/// where somebody interrupts meanwhile, with stopped_early if there is a state to go on from, and
/// with interrupted if not.
void become_member(caf::actor_system& system, const ClusterMember& member,
                   const ParameterHolder& hosted, const ClusterOptions& cluster,
                   SessionOptions& options, Interrupts& interrupts);

} // namespace troupe
