// Remote control of a run while it trains. Off by default.
//
//   a client                      control                     trainers, evaluator, saver
//     | ---- ControlRequest -------> |                                  |
//     |                              | ---- Pause, Set, Subscribe ... -> |
//     | <--- ControlAnswer --------- | <--------------------------------|
//     | ---- TailLog --------------> |   repeated, each time from where the last one ended
//     | <--- LogTail --------------- |
//     |                              |
//   the run's session                |
//     | ---- Drain ----------------> |   the run has ended
//     | <--- Drained --------------- |   when all followers of the log have seen its end
#pragma once

#include "messages/loop/extension.hpp"

#include <string>
#include <vector>

namespace troupe {

/// A command, as it is written on a command line: control_command.hpp parses it.
struct ControlRequest {
  std::string token; ///< of the run; without it nothing is done and nothing is disclosed
  std::string verb;  ///< "pause", "set", ...: one of control_verbs()
  std::vector<std::string> arguments; ///< as they are written behind the verb
  std::string by = {};                ///< who gives it, as the client says: for the log
  TROUPE_FIELDS(token, verb, arguments, by);
};

/// What came of a command.
struct ControlAnswer {
  std::vector<std::string> lines; ///< to print: what was done, or why not and the cure
  bool ok = false;                ///< whether it was done
  TROUPE_FIELDS(lines, ok);
};

/// Asks for rows of the log, repeatedly.
struct TailLog {
  std::string token;          ///< of the run
  std::uint64_t from = 0;     ///< number of the first row wanted; 0: the last `rows`
  std::uint64_t rows = 10;    ///< most rows of one answer
  std::uint64_t follower = 0; ///< distinguishes concurrent followers: each draws one at random
  TROUPE_FIELDS(token, from, rows, follower);
};

/// Rows of the log.
struct LogTail {
  bool ok = false;                ///< false: the token is wrong
  std::vector<std::string> lines; ///< one row each, as JSON
  std::uint64_t next = 1;         ///< number of the row after them
  std::uint64_t missed = 0;       ///< rows from `from` on that are no longer kept
  bool ended = false;             ///< nothing more will come
  TROUPE_FIELDS(ok, lines, next, missed, ended);
};

/// A timer of control: check which answers are still pending.
struct CheckControl {
  TROUPE_FIELDS();
};

/// The remote control of a run (actors/control/control.hpp).
using Control = caf::typed_actor<caf::replies_to<ControlRequest>::with<ControlAnswer>,
                                 caf::replies_to<TailLog>::with<LogTail>>;

} // namespace troupe
