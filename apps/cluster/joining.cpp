#include "apps/cluster/joining.hpp"

#include "actors/log/logger.hpp"
#include "actors/parameters/parameter_holder.hpp"
#include "apps/block_transfer/holder_connector.hpp"
#include "apps/process/vital_actor.hpp"
#include "apps/transport/reached_holder.hpp"
#include "apps/transport/trust.hpp"
#include "messages/requests/error.hpp"
#include "messages/wire/type_ids.hpp"
#include "model/tensor/shared_memory.hpp"

#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <iostream>
#include <thread>

namespace troupe {

namespace {

/// A holder in this process needs no connection.
Connector connector_to(caf::actor_system& system, const ParameterHolder& holder) {
  const auto behave = [holder](Connector::pointer) -> Connector::behavior_type {
    return {
      [holder](const ConnectShard&) {
        return ShardRoute{"this process", holder, holder};
      },
      [](const DropShard&) {},
    };
  };
  return system.spawn(behave);
}

/// Records interrupts during its lifetime. Interrupts also counts them for later.
class Interrupted {
public:
  explicit Interrupted(Interrupts& interrupts) : interrupts_(interrupts) {
    interrupts_.on_interrupt([this](int) { flag_ = true; });
  }
  ~Interrupted() { interrupts_.on_interrupt({}); }
  Interrupted(const Interrupted&) = delete;
  Interrupted& operator=(const Interrupted&) = delete;

  const std::atomic<bool>& flag() const { return flag_; }

private:
  Interrupts& interrupts_;
  std::atomic<bool> flag_{false};
};

void wait_for_holders(caf::actor_system& system, const ClusterMember& member, bool resumes,
                      Interrupts& interrupts) {
  const Interrupted interrupted{interrupts};
  for (const auto& endpoint : member.holders)
    if (!wait_for_holder(system, endpoint, member.trust, member.cluster, member.join_deadline,
                         interrupted.flag()))
      throw Failure(resumes ? ExitCode::stopped_early : ExitCode::interrupted,
                    {"interrupted while waiting for the parameter holder at " + to_string(endpoint)
                     + ": nothing was trained"});
}

HolderConnectorOptions connector_options(const ClusterMember& member, const ClusterOptions& cluster,
                                         WorkerId worker) {
  HolderConnectorOptions connector;
  connector.holders = member.holders;
  connector.trust = member.trust;
  connector.cluster = member.cluster;
  connector.channel = {worker, cluster.wire};
  return connector;
}

/// About as long as the holder keeps a silent worker, since a lost worker loses its progress; but
/// training waits meanwhile.
double resend_deadline(double lease) { return std::clamp(2 * lease, 2.0, 10.0); }

} // namespace

HostedHolder::HostedHolder(caf::actor_system& system, const ClusterMember& member,
                           const std::filesystem::path& folder, bool resumes)
  : files_(folder) {
  const auto& endpoint = member.holders.front();
  ParameterHolderOptions options;
  options.store.cluster = member.cluster;
  LoggerOptions logging; // the session's logger starts later, and belongs to one run
  logging.console = console_of_this_process();
  options.logger = spawn_logger(system, logging);
  holder_ = spawn_parameter_holder(system, options);
  exit_process_if_actor_fails(holder_, "the parameter holder");
  caf::scoped_actor self{system};
  if (resumes)
    files_.restore(self, holder_);
  warn_without_token(member.trust, member.cluster, "the parameter holder");
  listener_.emplace(system, holder_, endpoint.host, member.trust, member.cluster);
  published_.emplace(holder_entry_point(holder_, member.cluster, options.logger), endpoint,
                     member.trust, "the parameter holder");
  std::cerr << "parameter holder listens on "
            << to_string(Endpoint{endpoint.host, published_->port()}) << std::endl;
}

HostedHolder::~HostedHolder() {
  caf::anon_send_exit(holder_, caf::exit_reason::user_shutdown); // before its listener
}

bool HostedHolder::save() {
  caf::scoped_actor self{holder_.home_system()};
  return files_.save(self, holder_);
}

void HostedHolder::wait_for_others(Interrupts& interrupts) {
  using namespace std::chrono_literals;
  caf::scoped_actor self{holder_.home_system()};
  auto alone = 0; // seconds without any member
  for (auto seconds = 0;; ++seconds) {
    std::vector<WorkerId> left;
    auto expected = false; // some workers have not joined yet, or are lost and may return
    self->request(holder_, 10s, GetHolderStatus{})
      .receive(
        [&](const HolderStatus& status) {
          left = status.workers;
          left.insert(left.end(), status.readers.begin(), status.readers.end());
          expected = status.absent > 0 || !status.lost.empty();
        },
        [](const caf::error&) {});
    constexpr auto longest_absence = 60; // seconds
    alone = left.empty() ? alone + 1 : 0;
    if (left.empty() && (!expected || alone > longest_absence))
      return;
    if (seconds == 0)
      interrupts.on_interrupt([](int) {
        std::cerr << "interrupted: this worker has finished, and holds the parameters for the "
                     "remaining workers; press Ctrl-C again to end at once, and training with it"
                  << std::endl;
      });
    if (seconds == 2 && left.empty())
      std::cerr << "waiting for at most a minute for workers that have not joined yet or are lost"
                << std::endl;
    if (seconds == 2 && !left.empty()) {
      std::string names;
      for (auto worker : left)
        names += " " + std::to_string(worker);
      std::cerr << "waiting for the remaining workers:" << names << std::endl;
    }
    std::this_thread::sleep_for(1s);
  }
}

RemoteHolderOptions remote_holder_options(const ClusterMember& member,
                                          const ClusterOptions& cluster, WorkerId worker,
                                          const Logger& logger) {
  RemoteHolderOptions remote;
  remote.worker = worker;
  remote.workers = member.workers;
  remote.shards = member.holders.size();
  remote.cluster = member.cluster;
  remote.is_reader = member.is_reader;
  remote.lease = cluster.lease;
  remote.resend_deadline = resend_deadline(cluster.lease);
  remote.join_deadline = member.join_deadline;
  remote.logger = logger;
  return remote;
}

HolderConnection connection_to_holder(caf::actor_system& system, const ClusterMember& member,
                                      const ParameterHolder& hosted,
                                      const ClusterOptions& cluster) {
  return [&system, member, hosted, cluster](WorkerId worker, const Logger& logger) {
    auto remote = remote_holder_options(member, cluster, worker, logger);
    remote.process = random_process();
    auto holder = spawn_remote_holder(
      system,
      hosted ? connector_to(system, hosted)
             : spawn_holder_connector(system, connector_options(member, cluster, worker)),
      std::move(remote));
    exit_process_if_actor_fails(holder, "the worker's connection to the parameter holders");
    return holder;
  };
}

bool check_join(caf::actor_system& system, const ClusterMember& member,
                const ClusterOptions& cluster) {
  const auto connector
    = spawn_holder_connector(system, connector_options(member, cluster, member.worker));
  caf::scoped_actor self{system};
  std::string refusal;
  auto there = true;
  for (std::uint64_t shard = 0; shard < member.holders.size() && there; ++shard)
    self->request(connector, caf::infinite, ConnectShard{shard})
      .receive([](const ShardRoute&) {},
               [&](const caf::error&
                     error) { // the worker connects later to a holder that is not reachable now
                 there = false;
                 if (error == Error::invalid_options)
                   refusal = sentence(error);
               });
  self->send_exit(connector, caf::exit_reason::user_shutdown);
  if (!refusal.empty())
    throw Failure(ExitCode::refused, {"the parameter holder refuses this process: " + refusal});
  return there;
}

void become_member(caf::actor_system& system, const ClusterMember& member,
                   const ParameterHolder& hosted, const ClusterOptions& cluster,
                   SessionOptions& options, Interrupts& interrupts) {
  if (!member.hosts_holder) {
    wait_for_holders(system, member, options.resume.has_value(), interrupts);
    check_join(system, member, cluster);
  }
  make_large_segments_shareable(); // before the first parameters
  options.first_worker = member.worker;
  options.all_workers = member.workers;
  options.connection_to_holder = connection_to_holder(system, member, hosted, cluster);
}

} // namespace troupe
