// Remote control of a run while it trains. Off unless it was asked for.
//
//   somebody                      control                     trainers, evaluator, saver
//     | ---- ControlRequest -------> |                                  |
//     |                              | ---- Pause, Set, Subscribe ... -> |
//     | <--- ControlAnswer --------- | <--------------------------------|
//     | ---- TailLog --------------> |   again and again, each time from where the last one ended
//     | <--- LogTail --------------- |
//     |                              |
//   whoever trains                   |
//     | ---- Drain ----------------> |   the run is over
//     | <--- Drained --------------- |   once who follows the log has seen its end
#pragma once

#include "messages/loop/extension.hpp"

#include <string>
#include <vector>

namespace troupe {

/// An act, as its words stand on a command line: control_act.hpp reads them.
struct ControlRequest {
  std::string token; ///< of the run; without it nothing is done and nothing is told
  std::string verb;
  std::vector<std::string> arguments;
  FIELDS(token, verb, arguments);
};

struct ControlAnswer {
  std::vector<std::string> lines; ///< for people: what was done, or why not and the cure
  bool ok = false;
  FIELDS(lines, ok);
};

/// Asks for the log's rows as they come.
struct TailLog {
  std::string token;
  std::uint64_t from = 0; ///< the number of the first one wanted; 0: the last `rows`
  std::uint64_t rows = 10;
  std::uint64_t follower = 0; ///< tells those apart who follow at once: drawn at random by each
  FIELDS(token, from, rows, follower);
};

struct LogTail {
  bool ok = false;                ///< false: the token is wrong
  std::vector<std::string> lines; ///< a row each, as JSON
  std::uint64_t next = 1;         ///< the number of the row after them
  std::uint64_t missed = 0;       ///< rows from `from` on that nobody keeps any more
  bool ended = false;             ///< nothing more will come
  FIELDS(ok, lines, next, missed, ended);
};

/// Control to itself: a look at who is still waited for.
struct CheckControl {
  FIELDS();
};

using Control = caf::typed_actor<caf::replies_to<ControlRequest>::with<ControlAnswer>,
                                 caf::replies_to<TailLog>::with<LogTail>>;

} // namespace troupe
