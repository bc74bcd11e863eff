#pragma once

#include "actors/control/attached_extensions.hpp"
#include "messages/control/control_command.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// A command on its way, at some of the trainers.
struct ControlJob {
  ControlCommand command;
  std::string by; ///< who gave it
  std::vector<std::size_t> trainers;
  std::vector<AttachedExtension> extensions; ///< attach: what was spawned; detach: what is to go
  std::optional<LoopEvent> event;            ///< if a gate carries it out
  std::vector<std::uint64_t> plans;          ///< its parts that wait for their batch
  std::uint64_t resumes_before = 0;          ///< commands that had let training go on when it began
  std::vector<std::string> lines, errors;    ///< of the answer
  /// Lets the trainer that waits at the gate continue; does nothing if there is none.
  std::function<void()> release = [] {};
  std::function<void(const ControlAnswer&)> answer = [](const ControlAnswer&) {};

  /// Answers with the lines, then the errors.
  void finish();
  /// Its part at one trainer, which answers for itself only if it is the whole command.
  std::shared_ptr<ControlJob> part_at(std::size_t trainer) const;
  /// Whether that trainer stands behind the job's batch already; says so.
  bool is_over(const Status& status);
  /// "training ended before 'pause at=7' could be done; ..."
  std::string ended_before() const;
  void no_answer(std::size_t trainer, const caf::error& error);
};
using ControlJobPtr = std::shared_ptr<ControlJob>;

/// What a command is to be done to; spawns what is to be attached.
/// @throws std::invalid_argument for what cannot be done in this run.
ControlJob control_job(const ControlCommand& command, const ControlOptions& options,
                       const AttachedExtensions& attached);

} // namespace troupe
