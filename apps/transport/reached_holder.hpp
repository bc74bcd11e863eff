// Connections to the parameter holder of another process.
#pragma once

#include "apps/transport/tcp_connection.hpp"
#include "apps/transport/trust.hpp"
#include "messages/access/entry_point.hpp"
#include "messages/cluster/cluster_spec.hpp"
#include "messages/log/log.hpp"
#include "messages/parameters/parameters.hpp"

#include <caf/expected.hpp>

#include <atomic>
#include <string>

namespace troupe {

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
