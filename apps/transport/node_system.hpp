// The actor system of a process that talks to others: mutual TLS, heartbeats, and no other open
// port.
#pragma once

#include "apps/process/system_config.hpp"
#include "apps/transport/certificates.hpp"
#include "apps/transport/tcp_connection.hpp"
#include "apps/transport/tls.hpp"
#include "messages/admission/entry_point.hpp"
#include "messages/cluster/cluster_spec.hpp"
#include "messages/log/log.hpp"
#include "messages/parameters/parameters.hpp"

#include <caf/expected.hpp>

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace troupe {

/// Whether the host's name or address can be reached only from this machine.
bool is_loopback(const std::string& host);

/// The secret that all processes of a cluster share, TROUPE_TOKEN; "": none.
std::string cluster_token();

/// All environment variables.
std::map<std::string, std::string> environment_variables();

/// How the processes of a cluster trust each other.
struct Trust {
  Trust() = default;
  /// @throws IoError for unusable files.
  explicit(false) Trust(const Identity& identity)
    : tls(std::make_shared<const TlsContext>(identity)) {}

  std::shared_ptr<const TlsContext> tls; ///< null: plain TCP, on loopback only
};

/// "mutual TLS" or "plain".
std::string to_string(const Trust& trust);

/// Reads the identity's files once: they may be moved or replaced while the process runs.
/// @throws ConfigError for an unusable identity; without an identity, unless `insecure` is set and
/// the address is a loopback address.
Trust check_trust(const std::optional<Identity>& identity, bool insecure,
                  const std::string& listen_host);

/// Warns that this process checks only certificates and asks for no token.
/// @param who "the parameter holder"
void warn_without_token(const Trust& trust, const std::string& token, const std::string& who);

/// CAF with its middleman: a peer that is silent for ten seconds counts as lost.
class NodeSystemConfig : public SystemConfig {
public:
  explicit NodeSystemConfig(std::size_t threads, ProcessNeeds beside = usual_needs);
};

/// The actor of a holder that is published for peers with the cluster's token.
/// @param token "": any trusted certificate will do @param logger receives refusals; may be null
EntryPoint holder_entry_point(const ParameterHolder& holder, const std::string& token = "",
                              const Logger& logger = {});

/// Connects to the holder, once. It blocks for some seconds at most.
/// @returns Error::invalid_options if the holder refuses this process.
caf::expected<ParameterHolder> reach_holder(caf::actor_system& system, const Endpoint& endpoint,
                                            const Trust& trust, const std::string& token,
                                            const Cancelled& cancelled = {});
/// The same within a deadline.
caf::expected<ParameterHolder> reach_holder_within(caf::actor_system& system,
                                                   const Endpoint& endpoint, const Trust& trust,
                                                   const std::string& token,
                                                   caf::timespan deadline);

/// Waits until the holder can be reached, at most `deadline` seconds, or until `interrupted`. After
/// two seconds it prints on standard error what it waits for.
/// @returns whether the holder can be reached.
/// @throws Failure with ExitCode::unavailable that names the holder and the last refusal, or with
/// ExitCode::refused if the holder refuses this process.
bool wait_for_holder(caf::actor_system& system, const Endpoint& endpoint, const Trust& trust,
                     const std::string& token, double deadline,
                     const std::atomic<bool>& interrupted);

/// @param seconds of `--join-deadline` @throws UsageError unless it is above 0 and a clock can hold
/// it.
void check_join_deadline(double seconds);

} // namespace troupe
