// The extensions that a configuration can name, and how each is wired into a run.
#pragma once

#include "actors/cast.hpp"
#include "base/config/node.hpp"
#include "base/exit_codes.hpp"
#include "messages/checkpoint/checkpoint.hpp"
#include "messages/loop/extension_order.hpp"
#include "model/training/learner.hpp"

#include <optional>
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
  std::uint32_t window = 16;           ///< copies under way to an observer
  std::vector<std::string> after = {}; ///< extensions that are asked before this one
  bool coalesce = false; ///< several conditions that are true at one moment make one call
  FIELDS(workers, deadline, on_deadline, on_end, window, after, coalesce);
};

/// An extension as a configuration describes it.
struct ConfiguredExtension {
  std::string name; ///< its key in the configuration
  std::string type; ///< kind: the key too, unless `type` says otherwise
  config::Node options;
  Conditions conditions;
  ParticipationOptions participation;
};

/// The section of an extension with every option at its default; conditions are not in it.
/// @throws ConfigError for an unknown kind, with the nearest.
config::Node extension_defaults(const std::string& type, const std::string& source);

std::vector<std::string> extension_names();

/// Whether the configuration of an extension asks what problem and model count of each batch.
bool wants_statistics(const ConfiguredExtension& extension);

/// An extension that has its say every so many batches has it at the run's log interval.
/// @param every batches; 0: never
void use_log_interval(ConfiguredExtension& extension, Step every);

/// Reads an extension's section.
/// @returns what is wrong with it, as sentences.
Sentences read_extension(const std::string& name, const config::Node& section,
                         ConfiguredExtension& extension);

/// What it writes and needs, for its place among the others. @throws ConfigError
OrderedExtension place_of(const ConfiguredExtension& extension);

/// Adds those that they bring along: early_stopping a checkpoint of the best state.
/// @throws ConfigError
void add_companions(std::vector<ConfiguredExtension>& extensions);

/// The numbers of the extensions in the order in which they are asked (extension_order.hpp).
/// @throws ConfigError
std::vector<std::size_t> extension_order(const std::vector<ConfiguredExtension>& extensions);

/// Where an extension is spawned.
struct ExtensionContext {
  caf::actor_system& system;
  const Cast& cast;
  WorkerId worker = 0;
  Layout layout;
  std::string folder = {};         ///< of the run
  RunWriter writer = {};           ///< for checkpoints
  std::string log = {};            ///< the id of the run's log
  NanPolicy nan = NanPolicy::stop; ///< what a trainer does at a loss that is not finite
  std::shared_ptr<const Problem> problem = {};
  std::shared_ptr<const Model> model = {}; ///< to be cloned
  bool main_only = false; ///< of the extension that is spawned: it acts for all workers
  bool in_flight = false; ///< training runs already: before_training is over
};

/// A spawned extension and the subscription that it wants.
struct SpawnedExtension {
  std::string name;
  Extension actor;
  bool gate = false;
  Subscribe subscribe;          ///< where it is an observer
  SubscribeGate subscribe_gate; ///< where it is a gate
};

/// @throws std::invalid_argument, ConfigError for options that cannot be.
SpawnedExtension spawn_extension(const ConfiguredExtension& extension,
                                 const ExtensionContext& context);

} // namespace troupe
