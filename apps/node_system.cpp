#include "troupe/apps/node_system.hpp"

#include "troupe/apps/actor_door.hpp"
#include "troupe/apps/standard_streams.hpp"
#include "troupe/apps/token.hpp"
#include "troupe/messages/text.hpp"
#include "troupe/messages/type_ids.hpp"

#include <caf/openssl/manager.hpp>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <thread>

namespace troupe {

namespace {

using namespace std::chrono_literals;

/// CAF's thread of connections, and those of blocks: one that accepts, one for each holder.
ProcessNeeds with_connections(ProcessNeeds beside) {
  constexpr std::size_t of_connections = 3;
  beside.threads += of_connections;
  return beside;
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
  for (auto* word = environ; *word != nullptr; ++word) {
    const std::string text{*word};
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
    const auto kept = std::make_shared<const KeptIdentity>(*identity);
    return {kept->identity(), kept};
  }
  if (!insecure)
    throw ConfigError(
      "a node needs certificates: give --certs FOLDER --name NODE, made by `troupe certs init` and "
      "`troupe certs node`; on one machine alone, --insecure will do");
  if (!is_loopback(listen_host))
    throw ConfigError("--insecure is for the loopback interface only, not for '" + listen_host
                      + "'; give --certs");
  std::cerr << "warning: --insecure: whoever has an account on this machine can end or steer this "
               "training; "
               "a single packet crashes a plain node\n";
  return {};
}

NodeSystemConfig::NodeSystemConfig(std::size_t threads, const Trust& trust, ProcessNeeds beside)
  : SystemConfig(threads, with_connections(beside)),
    kept_(trust.kept) {
  allow_many_files(); // CAF opens the certificates for each peer, and throws where it cannot
  load_middleman();
  outlive_readers(); // TLS writes without MSG_NOSIGNAL, so that peers are readers, too
  // Off by default in CAF 0.17: a peer that is stopped or cut off would never be noticed.
  set("middleman.heartbeat-interval", caf::timespan{1s});
  set("middleman.connection-timeout", caf::timespan{10s});
  // A closed connection is forgotten behind what workers have still to read. A new connection often
  // has its descriptor by then, and would be forgotten in its place: all answers to it were lost.
  set("middleman.workers", std::size_t{0});
  set("middleman.app-identifiers",
      std::vector<std::string>{"troupe-" + std::to_string(protocol_version)});
  if (trust.identity) {
    load<caf::openssl::manager>();
    openssl_certificate = trust.identity->certificate.string();
    openssl_key = trust.identity->key.string();
    openssl_cafile = trust.identity->authority.string();
  }
}

// For the same reason the thread of the connections must come to a closed one before it accepts the
// next: it takes this many messages in turn, and reads its limit from here when it is made. Actors
// keep theirs, which is read later.
void NodeSystemConfig::load_middleman() {
  load<caf::io::middleman>();
  auto& factory = module_factories.back();
  factory = [this, make = factory](caf::actor_system& system) {
    const auto of_actors = caf::get<std::size_t>(*this, "scheduler.max-throughput");
    set("scheduler.max-throughput", std::size_t{1000});
    auto* const middleman = make(system);
    set("scheduler.max-throughput", of_actors);
    return middleman;
  };
}

std::uint16_t publish_holder(const ParameterHolder& holder, const std::string& host,
                             std::uint16_t port, const Trust& trust) {
  return publish_actor(holder, {host, port}, trust, "the parameter holder");
}

caf::expected<ParameterHolder> reach_holder(caf::actor_system& system, const Endpoint& endpoint,
                                            const Trust& trust, const NobodyWaits& nobody_waits) {
  return reach_actor<ParameterHolder>(system, endpoint, trust, nobody_waits);
}

void check_join_deadline(double seconds) {
  constexpr double longest = 1e9; // a clock counts so many nanoseconds only
  if (!(seconds > 0 && seconds <= longest))
    throw UsageError("--join-deadline " + shortest(seconds)
                     + ": give a number of seconds above 0, like 60");
}

bool wait_for_holder(caf::actor_system& system, const Endpoint& endpoint, const Trust& trust,
                     double deadline, const std::atomic<bool>& interrupted) {
  const auto began = std::chrono::steady_clock::now();
  const auto waited = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  };
  const auto nobody_waits = [&] { return interrupted || waited() >= deadline; };
  auto said = false;
  auto pause = 50ms;
  while (!interrupted) {
    const auto holder = reach_holder(system, endpoint, trust, nobody_waits);
    if (holder)
      return true;
    if (!said && waited() >= 2) {
      said = true;
      std::cerr << "waiting for the parameter holder at " << to_string(endpoint) << " (at most "
                << deadline << " s): " << sentence(holder.error()) << std::endl;
    }
    if (waited() >= deadline)
      throw Failure(ExitCode::unavailable,
                    {"the parameter holder at " + to_string(endpoint) + " could not be reached for "
                     + shortest(deadline) + " s, the last answer was: " + sentence(holder.error())
                     + "; is it running, and are its certificates of the same authority?"});
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, 1000ms);
  }
  return false;
}

} // namespace troupe
