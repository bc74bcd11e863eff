// Keeps the log, writes its file, and owns the console. Protocol: messages/log/log.hpp.
#pragma once

#include "actors/log/console.hpp"
#include "messages/log/log.hpp"

#include <functional>
#include <map>
#include <optional>

namespace troupe {

struct LoggerOptions {
  std::string run = {};   ///< the run's name, in each line of the file
  std::string file = {};  ///< the JSON-lines file; "" for none
  std::string store = {}; ///< the SQLite store, which several runs may share; "" for none
  std::string id = {};    ///< of this log, 32 hexadecimal digits; "": drawn where it is written
  std::string resumed_from = {};              ///< id of the log that it goes on with; "": none
  std::map<WorkerId, Step> resumed_at = {};   ///< the batch from which each worker goes on
  std::optional<ConsoleOptions> console = {}; ///< nothing: no console
  std::function<double()> wall_clock
    = {}; ///< seconds since 1970 for the file; default: the system's
};

/// Spawns a logger. It ends when nobody holds a handle to it any more; Flush first. While somebody
/// waits for a row that is not settled, it takes an exit message, which answers them with an error.
/// A store that refuses rows is only told of: the file has them all.
/// @throws FileError where a file cannot be opened.
Logger spawn_logger(caf::actor_system& system, LoggerOptions options = {});

} // namespace troupe
