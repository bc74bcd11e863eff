#pragma once

#include "messages/checkpoint/checkpoint.hpp"
#include "messages/control/control.hpp"
#include "messages/evaluation/evaluation.hpp"
#include "messages/log/log.hpp"
#include "messages/quiesce/quiescence.hpp"

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace troupe {

/// An extension of one trainer: subscribed, or about to be.
struct AttachedExtension {
  std::string name;
  std::size_t trainer = 0; ///< which of the run's
  Extension actor;
  bool gate = false;
  Subscribe subscribe;          ///< where it is an observer
  SubscribeGate subscribe_gate; ///< where it is a gate
  SubscriptionId id = 0;        ///< once it is subscribed
  std::string words = {};       ///< kind and options, a line each, where remote control attached it
  bool shares = false;          ///< parameters, with other workers: from the start to the end

  /// The name under which its state is saved.
  std::string saved_as() const {
    return trainer == 0 ? name : name + "@" + std::to_string(trainer);
  }
};

/// Under which name control takes part in checkpoints: a record "attached.<name>" for the words of
/// each extension that it has attached, "state.<name>.<key>" for what that remembers, and
/// "detached.<name>" for each of the configuration that it has detached.
inline constexpr const char* saved_control = "remote control";

struct ControlOptions {
  std::string token;             ///< whoever does not have it is refused
  std::vector<Trainer> trainers; ///< at least one
  Logger logger;
  Quiescence quiescence;                   ///< of the trainers; null: each stops by itself
  Evaluator evaluator;                     ///< null: nothing can be evaluated
  Extension saver;                         ///< a checkpoint, not subscribed; null: nothing is saved
  std::vector<Checkpoint> checkpoints;     ///< that save what is attached, too
  std::vector<AttachedExtension> attached; ///< at the start, so that they can be detached
  std::set<std::string> detached; ///< before the run went on, from the configuration's extensions
  /// Spawns an extension of this kind and name, not subscribed yet; one for each trainer that it
  /// concerns. Throws for options ("key=value") that cannot be. Null: nothing can be attached.
  std::function<std::vector<AttachedExtension>(const std::string& type, const std::string& name,
                                               const std::vector<std::string>& options)>
    spawn;
  std::size_t records = 10'000; ///< of the log's newest rows, kept for who follows it
};

/// What the composition root holds: it says when the run is over.
using RunControl = Control::extend<caf::replies_to<Drain>::with<Drained>>;

} // namespace troupe
