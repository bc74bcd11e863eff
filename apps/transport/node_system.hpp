// The actor system of a process that talks to others: mutual TLS, heartbeats, and nothing else
// open.
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

/// Whether nobody outside this machine reaches the host's name or address.
bool is_loopback(const std::string& host);

/// The secret that all processes of a cluster share, TROUPE_TOKEN; "": none.
std::string cluster_token();

/// All variables of the environment.
std::map<std::string, std::string> environment_variables();

/// How processes that belong together trust each other.
struct Trust {
  Trust() = default;
  /// @throws IoError for files that cannot be used.
  explicit(false) Trust(const Identity& identity)
    : tls(std::make_shared<const TlsContext>(identity)) {}

  std::shared_ptr<const TlsContext> tls; ///< null: plain TCP, on loopback only
};

/// "mutual TLS" or "plain".
std::string to_string(const Trust& trust);

/// Reads the identity's files: they may be moved or replaced while the process runs.
/// @throws ConfigError for an identity that cannot be used; and, without one, unless `insecure` and
/// every address is of
///         the loopback interface.
Trust check_trust(const std::optional<Identity>& identity, bool insecure,
                  const std::string& listen_host);

/// Says that a process which others reach by their certificates alone asks for no token.
/// @param who "the parameter holder"
void warn_without_token(const Trust& trust, const std::string& token, const std::string& who);

/// CAF with its middleman: peers that are silent for ten seconds are taken for lost.
class NodeSystemConfig : public SystemConfig {
public:
  explicit NodeSystemConfig(std::size_t threads, ProcessNeeds beside = usual_needs);
};

/// What of a holder is published for peers that have the cluster's token.
/// @param token "": whoever has a certificate @param logger hears what is refused; may be null
EntryPoint holder_entry_point(const ParameterHolder& holder, const std::string& token = "",
                              const Logger& logger = {});

/// Connects to the holder, once. It blocks for some seconds at most.
/// @returns Error::invalid_options where the holder does not let this process in.
caf::expected<ParameterHolder> reach_holder(caf::actor_system& system, const Endpoint& endpoint,
                                            const Trust& trust, const std::string& token,
                                            const Cancelled& cancelled = {});
/// The same within a deadline.
caf::expected<ParameterHolder> reach_holder_within(caf::actor_system& system,
                                                   const Endpoint& endpoint, const Trust& trust,
                                                   const std::string& token,
                                                   caf::timespan deadline);

/// Waits until the holder can be reached, at most `deadline` seconds, or until `interrupted`. After
/// two seconds it says on standard error for whom it waits.
/// @returns whether it can be reached.
/// @throws Failure with ExitCode::unavailable that names the holder and the last refusal, or with
/// ExitCode::refused where the holder does not let this process in.
bool wait_for_holder(caf::actor_system& system, const Endpoint& endpoint, const Trust& trust,
                     const std::string& token, double deadline,
                     const std::atomic<bool>& interrupted);

/// @param seconds of `--join-deadline` @throws UsageError for what no clock reaches, or 0 and less.
void check_join_deadline(double seconds);

} // namespace troupe
