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

/// An extension of one trainer, subscribed or about to be.
struct AttachedExtension {
  std::string name;
  std::size_t trainer = 0; ///< index in ControlOptions::trainers
  Extension actor;
  bool gate = false;
  Subscribe subscribe;          ///< of an observer
  SubscribeGate subscribe_gate; ///< of a gate
  SubscriptionId id = 0;        ///< set once it is subscribed
  std::string definition = {};  ///< type and options, one a line, if remote control attached it
  bool shares = false;          ///< shares parameters with other workers, so it can't be detached

  /// The name under which its state is saved.
  std::string saved_as() const {
    return trainer == 0 ? name : name + "@" + std::to_string(trainer);
  }
};

/// The name under which control takes part in checkpoints. Its records: "attached.<name>" with the
/// definition of each extension that it has attached, "state.<name>.<key>" with that extension's
/// state, and "detached.<name>" for each of the configuration's extensions that it has detached.
inline constexpr const char* saved_control = "remote control";

struct ControlOptions {
  std::string token;             ///< requests with another one are refused
  std::vector<Trainer> trainers; ///< at least one
  Logger logger;
  Quiescence quiescence;               ///< of the trainers; null: each one pauses by itself
  Evaluator evaluator;                 ///< null: nothing can be evaluated
  Extension saver;                     ///< a checkpoint, not subscribed; null: nothing can be saved
  std::vector<Checkpoint> checkpoints; ///< which also save the attached extensions
  std::vector<AttachedExtension> attached; ///< from the start; they can be detached
  std::set<std::string> detached; ///< extensions of the configuration detached before a resume
  /// Spawns one extension of this kind and name for each trainer it concerns, not subscribed yet.
  /// Throws for invalid options ("key=value"). Null: nothing can be attached.
  std::function<std::vector<AttachedExtension>(const std::string& type, const std::string& name,
                                               const std::vector<std::string>& options)>
    spawn;
  /// The sentence that refuses a record which nothing writes; "" for one that may be written. Null:
  /// none is refused.
  std::function<std::string(const std::string& record)> refuse_record;
  bool stops_at_nan = false;    ///< a loss that is not finite ends the run
  std::size_t records = 10'000; ///< kept for followers, from the log's newest rows
};

/// Handle of the composition root, which sends Drain when the run is over.
using RunControl = Control::extend<caf::replies_to<Drain>::with<Drained>>;

} // namespace troupe
