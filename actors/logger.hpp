// Keeps the log, writes its file, and owns the console. Protocol: messages/log.hpp.
#pragma once

#include "troupe/actors/console.hpp"
#include "troupe/messages/log.hpp"

#include <functional>
#include <optional>

namespace troupe {

struct LoggerOptions {
  std::string run = {};                       ///< the run's name, in each line of the file
  std::string file = {};                      ///< the JSON-lines file; "" for none
  std::optional<ConsoleOptions> console = {}; ///< nothing: no console
  std::function<double()> wall_clock
    = {}; ///< seconds since 1970 for the file; default: the system's
};

/// Spawns a logger. It ends when nobody holds a handle to it any more; Flush first.
/// @throws std::system_error, spdlog::spdlog_ex where a file cannot be opened.
Logger spawn_logger(caf::actor_system& system, LoggerOptions options = {});

} // namespace troupe
