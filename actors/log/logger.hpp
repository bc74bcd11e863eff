// Keeps the log, writes its file, and owns the console. Protocol: messages/log/log.hpp.
#pragma once

#include "actors/log/console.hpp"
#include "actors/log/log_sink_kind.hpp"
#include "messages/log/log.hpp"

#include <functional>
#include <map>
#include <optional>

namespace troupe {

/// Where the log goes.
struct LoggerOptions {
  std::string run = {};                 ///< the run's name, in each line of the file
  std::string file = {};                ///< the JSON-lines file; "": none
  std::vector<NamedLogSink> sinks = {}; ///< where the log goes besides
  std::filesystem::path folder = {};    ///< of the run, for their files
  std::string id = {}; ///< of this log, 32 hexadecimal digits; "": drawn if the log is written
  std::string resumed_from = {};              ///< id of the log that it continues; "": none
  std::map<WorkerId, Step> resumed_at = {};   ///< the batch from which each worker continues
  std::optional<ConsoleOptions> console = {}; ///< nothing: no console
  std::function<double()> wall_clock = {};    ///< seconds since 1970; default: the system's clock
};

/// Spawns a logger. It ends with its last handle; send Flush first. While requests wait for a row
/// that is not settled, only an exit message ends it, which answers them with an error. A sink
/// that refuses rows or throws is only reported: the file has them all.
/// @throws IoError if a file cannot be opened, and what opening a sink throws.
Logger spawn_logger(caf::actor_system& system, LoggerOptions options = {});

} // namespace troupe
