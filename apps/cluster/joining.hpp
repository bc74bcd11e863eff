// A process's part in a cluster: the holder that it hosts, and its connections to the others.
#pragma once

#include "actors/parameters/remote_holder.hpp"
#include "apps/block_transfer/block_listener.hpp"
#include "apps/cluster/holder_files.hpp"
#include "apps/session/cluster_member.hpp"
#include "apps/session/session_options.hpp"
#include "apps/transport/published_actor.hpp"

#include <optional>

namespace troupe {

/// A parameter holder in a worker's process that other processes can reach.
class HostedHolder {
public:
  /// @param folder folder of this process's run, where it is saved; "": not saved
  /// @param resumes from the state in the folder
  /// @throws IoError if it cannot listen, DataError for an invalid state.
  HostedHolder(caf::actor_system& system, const ClusterMember& member,
               const std::filesystem::path& folder, bool resumes);
  ~HostedHolder();
  HostedHolder(const HostedHolder&) = delete;
  HostedHolder& operator=(const HostedHolder&) = delete;

  const ParameterHolder& holder() const { return holder_; }
  /// Blocks until the other workers have left; workers that have not joined yet have a minute. The
  /// first interrupt prints that it waits, a second one ends the program.
  void wait_for_others(Interrupts& interrupts);

  /// Saves the state into the folder.
  bool save();

private:
  HolderFiles files_;
  ParameterHolder holder_;
  std::optional<BlockListener> listener_;
  std::optional<PublishedActor> published_;
};

/// The options of a worker's connection to the cluster's holders.
RemoteHolderOptions remote_holder_options(const ClusterMember& member,
                                          const ClusterOptions& cluster, WorkerId worker,
                                          const Logger& logger);

/// Creates a worker's connection to the cluster's holders.
using HolderConnection = std::function<RemoteHolder(WorkerId worker, const Logger& logger)>;

/// @param hosted the holder of this process, or null
HolderConnection connection_to_holder(caf::actor_system& system, const ClusterMember& member,
                                      const ParameterHolder& hosted, const ClusterOptions& cluster);

/// Presents this process to the holders, so that a refused process ends without waiting. @returns
/// whether all holders were reached. @throws Failure with ExitCode::refused if a holder refuses the
/// token.
bool check_join(caf::actor_system& system, const ClusterMember& member,
                const ClusterOptions& cluster);

/// Makes a session a member: waits until the holders answer, and gives each worker its connection.
/// @param hosted the holder of this process, or null
/// @throws Failure as check_join does; with ExitCode::unavailable if a holder is not reached
/// within the deadline; at an interrupt with stopped_early if there is a state to resume from, else
/// with interrupted.
void become_member(caf::actor_system& system, const ClusterMember& member,
                   const ParameterHolder& hosted, const ClusterOptions& cluster,
                   SessionOptions& options, Interrupts& interrupts);

} // namespace troupe
