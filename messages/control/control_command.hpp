// A command to a running training, parsed from text.
//
//   pause [at=N]           stop [after_batch|after_epoch|now] [at=N]
//   resume                 set NAME=VALUE... [at=N]
//   step [N]               save [FILE] [at=N]
//   status [json]          evaluate [SECTION] [at=N]
//   ping                   attach TYPE[:NAME] [KEY=VALUE...] [at=N]
//   break [CONDITION]      detach NAME [at=N]
//   unbreak NUMBER|all
//
// at=N: after batch N, before batch N + 1 begins; without it, as soon as the trainer can.
#pragma once

#include "messages/control/breakpoint.hpp"
#include "messages/loop/loop.hpp"
#include "model/data/problem.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// What a command asks for.
enum class Verb : std::uint8_t {
  ping,       ///< answered at once: whether the run is alive
  status,     ///< how training stands
  pause,      ///< holds training after a batch
  resume,     ///< ends a pause
  step,       ///< trains some batches, then pauses
  stop,       ///< ends training
  set,        ///< changes settings of the optimizer
  save,       ///< saves a state
  evaluate,   ///< measures the current parameters on a section
  attach,     ///< adds an extension to the running training
  detach,     ///< removes one
  breakpoint, ///< "break": sets one, or lists them
  unbreak,    ///< removes breakpoints
};

/// A command with its arguments. Those that its verb does not use keep their defaults.
struct ControlCommand {
  Verb verb = Verb::status;                         ///< what it asks for
  std::optional<Step> at{};                         ///< a batch, from 1
  Step batches = 1;                                 ///< step: how many
  StopLevel level = StopLevel::after_batch;         ///< stop
  std::map<std::string, double> settings{};         ///< set
  Section section = Section::validation;            ///< evaluate
  std::string file{};                               ///< save: a name in the run's folder
  std::string type{};                               ///< attach: the kind of extension
  std::string name{};                               ///< attach, detach
  std::vector<std::string> options{};               ///< attach: "key=value"
  bool json = false;                                ///< status
  std::optional<Breakpoint> breakpoint{};           ///< break; nothing: list them
  std::optional<std::uint64_t> breakpoint_number{}; ///< unbreak; nothing: all
  std::string text{};                               ///< the whole command, as it was written
};

/// @throws std::invalid_argument for what cannot be parsed, with the word and the cure; for an
/// unknown verb also the nearest known one.
ControlCommand parse_control_command(const std::string& verb,
                                     const std::vector<std::string>& arguments);

/// The name of a client for the log: without control characters, not long, never empty.
std::string shown_client(const std::string& by);

/// The verbs for users, including "tail".
const std::vector<std::string>& control_verbs();

/// When a gate carries the command out: after_batch of batch `at`; for extensions that come and go
/// before_batch of the next one, so that they see a whole batch or nothing. Without `at`: after the
/// next batch.
Condition moment_of(const ControlCommand& command);

} // namespace troupe
