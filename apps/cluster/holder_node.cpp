#include "apps/cluster/holder_node.hpp"

#include "actors/log/logger.hpp"
#include "actors/parameters/parameter_holder.hpp"
#include "apps/block_transfer/block_listener.hpp"
#include "apps/cluster/holder_files.hpp"
#include "apps/folder/run_folder.hpp"
#include "apps/folder/run_lock.hpp"
#include "apps/folder/unstarted_run.hpp"
#include "apps/process/interrupts.hpp"
#include "apps/process/shutdown_deadline.hpp"
#include "apps/process/vital_actor.hpp"
#include "apps/transport/node_system.hpp"
#include "apps/transport/published_actor.hpp"
#include "apps/transport/reached_holder.hpp"
#include "apps/transport/trust.hpp"
#include "base/files/durable_file.hpp"
#include "base/files/private_files.hpp"
#include "messages/wire/type_ids.hpp"

#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <map>

namespace troupe {

namespace {

using namespace std::chrono_literals;

/// A parameter holder's process.
class HolderNode {
public:
  explicit HolderNode(const HolderNodeOptions& options)
    : options_(options),
      files_(options.folder) {
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr); // before any other thread
    if (options.folder.empty())
      return;
    make_private_folder(options.folder);
    lock_.take(options.folder);
    unstarted_.made(options.folder);
  }

  int serve() {
    NodeSystemConfig system_config{2};
    ShutdownDeadline end;
    caf::actor_system system{system_config};
    return end.run([&] { return serve_in(system); });
  }

private:
  int serve_in(caf::actor_system& system) {
    caf::scoped_actor self{system};
    LoggerOptions logging;
    logging.console = console_of_this_process();
    const auto logger = spawn_logger(system, logging);
    ParameterHolderOptions holding;
    holding.store.cluster = options_.cluster;
    holding.store.pushes_per_second = options_.pushes_per_second;
    holding.logger = logger;
    const auto holder = spawn_parameter_holder(system, holding);
    exit_process_if_actor_fails(holder, "the parameter holder");
    restore(self, holder);
    auto saved = true;
    warn_without_token(options_.trust, options_.cluster, "the parameter holder");
    {
      const BlockListener listener{system, holder, options_.endpoint.host, options_.trust,
                                   options_.cluster};
      const PublishedActor published{holder_entry_point(holder, options_.cluster, logger),
                                     options_.endpoint, options_.trust, "the parameter holder"};
      const auto port = published.port();
      std::cerr << "parameter holder listens on "
                << to_string(Endpoint{options_.endpoint.host, port}) << " ("
                << to_string(options_.trust) << ")" << std::endl;
      unstarted_.begin();
      if (!options_.port_file.empty())
        write_file(options_.port_file, std::to_string(port) + "\n");
      auto status = watch(self, holder);
      self->request(holder, answer_deadline, GetHolderStatus{})
        .receive([&](HolderStatus& last) { status = std::move(last); }, [](const caf::error&) {});
      saved = files_.save(self, holder);
      std::cerr << "parameter holder ends after " << status.pushes << " pushes (version "
                << status.version << ")"
                << (saved ? "" : ", and its changes since the last save are lost") << std::endl;
      caf::anon_send_exit(holder, caf::exit_reason::user_shutdown);
    }
    caf::anon_send_exit(logger, caf::exit_reason::user_shutdown);
    return static_cast<int>(saved ? ExitCode::done : ExitCode::io);
  }

  static constexpr auto answer_deadline = 10s;
  static constexpr int longest_loss = 60; // seconds after which a lost worker is no longer expected

  void restore(caf::scoped_actor& self, const ParameterHolder& holder) {
    if (const auto saved = files_.restore(self, holder)) {
      restored_ = true;
      for (const auto& worker : saved->workers)
        incarnations_[worker.worker] = worker.journal.size();
    }
  }

  /// Whether a worker has joined since the restore; it may have left between two polls.
  bool any_joined(const HolderStatus& status) const {
    return std::any_of(status.journal.begin(), status.journal.end(), [this](const auto& one) {
      const auto before = incarnations_.find(one.first);
      return before == incarnations_.end() || one.second.size() > before->second;
    });
  }

  HolderStatus watch(caf::scoped_actor& self, const ParameterHolder& holder) {
    HolderStatus status;
    auto joined = false;
    auto alone = 0; // seconds without any worker
    for (auto seconds = 1;; ++seconds) {
      const timespec second{1, 0};
      if (sigtimedwait(&signals_, nullptr, &second) > 0)
        return status;
      self->request(holder, answer_deadline, GetHolderStatus{})
        .receive([&](HolderStatus& now) { status = std::move(now); }, [](const caf::error&) {});
      seen_ = seen_ || !status.workers.empty() || any_joined(status);
      joined = joined || !status.workers.empty() || !status.journal.empty();
      alone = status.workers.empty() ? alone + 1 : 0;
      if (!options_.keep_running && joined && status.workers.empty() && status.readers.empty()
          && ((status.lost.empty() && status.absent == 0) || alone >= longest_loss)
          && (seen_ || !restored_))
        return status;
      if (options_.save_every > 0 && seconds % std::max(1, options_.save_every) == 0)
        files_.save(self, holder);
    }
  }

  const HolderNodeOptions& options_;
  sigset_t signals_ = signals_to_end();
  UnstartedRun unstarted_{options_.folder};
  RunLock lock_;
  HolderFiles files_;
  bool restored_ = false, seen_ = false;
  std::map<WorkerId, std::size_t> incarnations_; ///< of each worker, before the holder's restart
};

} // namespace

int serve_holder(const HolderNodeOptions& options) { return HolderNode{options}.serve(); }

} // namespace troupe
