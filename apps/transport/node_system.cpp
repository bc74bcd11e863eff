#include "apps/transport/node_system.hpp"

#include "actors/admission/entry_point.hpp"
#include "apps/process/standard_streams.hpp"
#include "apps/transport/introduction.hpp"
#include "apps/transport/reached_actor.hpp"
#include "apps/transport/token.hpp"
#include "base/exit_codes.hpp"
#include "base/text/text.hpp"
#include "messages/wire/type_ids.hpp"

#include <caf/actor_registry.hpp>
#include <caf/io/middleman.hpp>
#include <caf/send.hpp>
#include <caf/thread_hook.hpp>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <thread>

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

constexpr const char* holder_name = "parameter holder";
constexpr auto introduction_deadline = 3s;

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

caf::expected<Introduction<ParameterHolder>>
introduce_to_holder(caf::actor_system& system, const caf::expected<EntryPoint>& entry,
                    const std::string& token) {
  if (!entry)
    return entry.error();
  return introduce_to<ParameterHolder>(system, *entry, holder_name, token, introduction_deadline);
}

caf::expected<ParameterHolder> handle_of(const caf::expected<Introduction<ParameterHolder>>& made) {
  if (!made)
    return made.error();
  return made->handle;
}

} // namespace

bool is_loopback(const std::string& host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

std::string cluster_token() {
  const auto* token = std::getenv("TROUPE_TOKEN");
  return token == nullptr ? "" : token_in(token);
}

std::map<std::string, std::string> environment_variables() {
  std::map<std::string, std::string> result;
  for (auto* variable = environ; *variable != nullptr; ++variable) {
    const std::string text{*variable};
    if (const auto equals = text.find('='); equals != std::string::npos)
      result[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return result;
}

Trust check_trust(const std::optional<Identity>& identity, bool insecure,
                  const std::string& listen_host) {
  if (identity) {
    if (auto defect = defect_of(*identity); !defect.empty())
      throw ConfigError(defect);
    return *identity;
  }
  if (!insecure)
    throw ConfigError(
      "a node needs certificates: give --certs FOLDER --name NODE, made by `troupe certs init` and "
      "`troupe certs node`; on one machine alone, --insecure will do");
  if (!is_loopback(listen_host))
    throw ConfigError("--insecure is for the loopback interface only, not for '" + listen_host
                      + "'; give --certs");
  std::cerr << "warning: --insecure: any account on this machine can connect to this process, and "
               "anyone who can watch the loopback interface can read its messages\n";
  return {};
}

void warn_without_token(const Trust& trust, const std::string& token, const std::string& who) {
  if (trust.tls && token.empty())
    std::cerr << "warning: TROUPE_TOKEN is not set: " << who
              << " accepts every certificate of this authority; give all nodes the same token, "
                 "like: export TROUPE_TOKEN=$(openssl rand -hex 16)\n";
}

std::string to_string(const Trust& trust) { return trust.tls ? "mutual TLS" : "plain"; }

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

EntryPoint holder_entry_point(const ParameterHolder& holder, const std::string& token,
                              const Logger& logger) {
  const auto report = [logger](const std::string& line) {
    if (logger)
      caf::anon_send(logger, Say{Level::warning, line});
  };
  return entry_point_of<ParameterHolder>(holder, {holder_name, token, draw_token, report});
}

caf::expected<ParameterHolder> reach_holder(caf::actor_system& system, const Endpoint& endpoint,
                                            const Trust& trust, const std::string& token,
                                            const Cancelled& cancelled) {
  return handle_of(introduce_to_holder(
    system, reach_actor<EntryPoint>(system, endpoint, trust, cancelled), token));
}

caf::expected<ParameterHolder> reach_holder_within(caf::actor_system& system,
                                                   const Endpoint& endpoint, const Trust& trust,
                                                   const std::string& token,
                                                   caf::timespan deadline) {
  return handle_of(introduce_to_holder(
    system, reach_within<EntryPoint>(system, endpoint, trust, deadline), token));
}

void check_join_deadline(double seconds) {
  constexpr double longest = 1e9; // the clock counts nanoseconds in 64 bits
  if (!(seconds > 0 && seconds <= longest))
    throw UsageError("--join-deadline " + shortest(seconds)
                     + ": give a number of seconds above 0, like 60");
}

bool wait_for_holder(caf::actor_system& system, const Endpoint& endpoint, const Trust& trust,
                     const std::string& token, double deadline,
                     const std::atomic<bool>& interrupted) {
  const auto began = std::chrono::steady_clock::now();
  const auto waited = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  };
  const auto cancelled = [&] { return interrupted || waited() >= deadline; };
  auto said = false;
  auto pause = 50ms;
  while (!interrupted) {
    const auto holder = introduce_to_holder(
      system, reach_actor<EntryPoint>(system, endpoint, trust, cancelled), token);
    if (holder) {
      caf::anon_send_exit(holder->handle, caf::exit_reason::user_shutdown);
      if (trust.tls && !holder->token_required)
        std::cerr << "warning: the parameter holder at " << to_string(endpoint)
                  << " asks for no token: every certificate of its authority is accepted; start it "
                     "with a TROUPE_TOKEN"
                  << std::endl;
      return true;
    }
    if (holder.error() == Error::invalid_options)
      throw Failure(ExitCode::refused, {"the parameter holder at " + to_string(endpoint)
                                        + " refuses this process: " + sentence(holder.error())});
    if (!said && waited() >= 2) {
      said = true;
      std::cerr << "waiting for the parameter holder at " << to_string(endpoint) << " (at most "
                << deadline << " s): " << sentence(holder.error()) << std::endl;
    }
    if (waited() >= deadline)
      throw Failure(ExitCode::unavailable,
                    {"the parameter holder at " + to_string(endpoint) + " could not be reached for "
                     + shortest(deadline) + " s, the last answer was: " + sentence(holder.error())
                     + "; is it running, and are its certificates from the same authority?"});
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, 1000ms);
  }
  return false;
}

} // namespace troupe
