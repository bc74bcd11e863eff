// An extension as a configuration describes it.
#pragma once

#include "base/config/node.hpp"
#include "messages/loop/extension.hpp"
#include "messages/schedule/condition.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace troupe {

/// How an extension takes part, whatever its kind; keys of its section beside its options and
/// triggers.
struct ParticipationOptions {
  std::string workers = "main"; ///< "main": worker 0's trainer; "all": one extension per trainer
  double deadline = 600;        ///< seconds for a gate's answer
  OnLoss on_deadline = OnLoss::fail;   ///< of a gate
  OnLoss on_end = OnLoss::fail;        ///< when its actor ends
  std::uint32_t window = 16;           ///< copies in flight to an observer
  std::vector<std::string> after = {}; ///< extensions that are asked before this one
  bool coalesce = false; ///< several conditions that are true at one moment make one call
  TROUPE_FIELDS(workers, deadline, on_deadline, on_end, window, after, coalesce);
};

/// An extension as a configuration describes it.
struct ConfiguredExtension {
  std::string name;                   ///< its key in the configuration
  std::string type;                   ///< kind: the key too, unless `type` says otherwise
  config::Node options;               ///< of its section, those of its kind only
  Conditions conditions;              ///< when it is called
  ParticipationOptions participation; ///< how it takes part
};

} // namespace troupe
