#include "apps/transport/node_system.hpp"

#include "apps/process/standard_streams.hpp"
#include "messages/wire/type_ids.hpp"

#include <caf/actor_registry.hpp>
#include <caf/io/middleman.hpp>
#include <caf/thread_hook.hpp>
#include <sys/resource.h>

#include <chrono>
#include <string>
#include <vector>

namespace troupe {

namespace {

using namespace std::chrono_literals;

/// Threads of connections: CAF's, the two that accept, for messages and for blocks, and one per
/// holder.
ProcessNeeds with_connections(ProcessNeeds beside) {
  constexpr std::size_t of_connections = 4;
  beside.threads += of_connections;
  return beside;
}

/// Raises this process's limit of open files to the allowed maximum: each peer takes one.
void allow_many_files() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max)
    return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

/// Unregisters CAF's two actors that any peer can reach by name: one spawns actors on request, the
/// other stores what it is sent. It runs before the first thread starts.
class NoNamedActors : public caf::thread_hook {
public:
  void init(caf::actor_system& system) override { system_ = &system; }
  void thread_started() override {
    for (const auto name : {caf::atom("SpawnServ"), caf::atom("ConfigServ")})
      system_->registry().erase(name);
  }
  void thread_terminates() override {}

private:
  caf::actor_system* system_ = nullptr;
};

} // namespace

NodeSystemConfig::NodeSystemConfig(std::size_t threads, ProcessNeeds beside)
  : SystemConfig(threads, with_connections(beside)) {
  allow_many_files();
  load<caf::io::middleman>();
  add_thread_hook<NoNamedActors>();
  survive_closed_outputs(); // TLS writes without MSG_NOSIGNAL, so peers count as readers too
  // Off by default in CAF 0.17: a stopped or unreachable peer would never be noticed.
  set("middleman.heartbeat-interval", caf::timespan{1s});
  set("middleman.connection-timeout", caf::timespan{10s});
  // Messages are read on the thread of the connections, so that none is delivered after its
  // connection has ended.
  set("middleman.workers", std::size_t{0});
  set("middleman.app-identifiers",
      std::vector<std::string>{"troupe-" + std::to_string(protocol_version)});
}

} // namespace troupe
