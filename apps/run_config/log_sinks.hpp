// The section `log`, which names where a run's log goes besides its log.jsonl:
//
//   log: {store: {path: logs.sqlite}}
#pragma once

#include "actors/log/log_sink_kind.hpp"
#include "base/config/node.hpp"
#include "base/failure.hpp"

#include <string>
#include <vector>

namespace troupe {

/// The options of each sink that a draft of the configuration names. @throws ConfigError for
/// unknown names
config::Node log_sink_defaults(const config::Node& draft);

/// The sinks of a configuration whose options can be.
std::vector<NamedLogSink> read_log_sinks(const config::Node& tree, Sentences& errors);

} // namespace troupe
