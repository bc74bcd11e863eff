#pragma once

#include "actors/control/control_options.hpp"
#include "messages/wire/type_ids.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <string>
#include <utility>

namespace troupe {

/// What control hears besides its public interface.
using ControlActor = RunControl::extend<caf::replies_to<AskGate>::with<GateAnswer>,
                                        caf::replies_to<SaveExtension>::with<SavedExtension>,
                                        caf::reacts_to<Written>, caf::reacts_to<CheckControl>>;

/// The lines that remote control prints, and the log of the run.
class ControlLog {
public:
  ControlLog() = default;
  ControlLog(ControlActor::pointer self, Logger logger) : self_(self), logger_(std::move(logger)) {}

  void say(Level level, const std::string& text) const {
    self_->send(logger_, Say{level, "control: " + text});
  }
  /// Prints a line, and writes the command, and who gave it, in the row where it was done.
  void note(const std::string& command, const std::vector<std::string>& errors,
            const std::string& by, Write row) const {
    auto text = command;
    for (const auto& error : errors)
      text += ": " + error;
    const auto key = row.row;
    row.records["control"] = Value{text};
    row.records["control_by"] = Value{by};
    self_->send(logger_, std::move(row));
    say(errors.empty() ? Level::info : Level::warning, text + " (worker "
                                                         + std::to_string(key.worker) + ", batch "
                                                         + std::to_string(key.batch) + ")");
  }

private:
  ControlActor::pointer self_ = nullptr;
  Logger logger_;
};

} // namespace troupe
