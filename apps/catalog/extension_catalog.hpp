// The extensions that a configuration can name, and how each is connected to a run.
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

/// How an extension takes part, for all kinds; keys of its section besides its options and
/// triggers.
struct ParticipationOptions {
  std::string workers = "main"; ///< "main": worker 0's trainer; "all": one extension per trainer
  double deadline = 600;        ///< seconds for a gate's answer
  OnLoss on_deadline = OnLoss::fail;   ///< for a gate
  OnLoss on_end = OnLoss::fail;        ///< when its actor ends
  std::uint32_t window = 16;           ///< copies in flight to an observer
  std::vector<std::string> after = {}; ///< extensions that are asked before this one
  bool coalesce = false;               ///< several conditions that hold at one moment make one call
  FIELDS(workers, deadline, on_deadline, on_end, window, after, coalesce);
};

/// An extension as a configuration describes it.
struct ConfiguredExtension {
  std::string name; ///< its key in the configuration
  std::string type; ///< its kind; by default the same as the key
  config::Node options;
  Conditions conditions;
  ParticipationOptions participation;
};

/// The section of an extension with all options at their defaults, without conditions.
/// @throws ConfigError for an unknown kind, with the nearest one.
config::Node extension_defaults(const std::string& type, const std::string& source);

std::vector<std::string> extension_names();

/// Whether an extension uses the statistics of problem and model for each batch.
bool wants_statistics(const ConfiguredExtension& extension);

/// Sets the interval of an extension that acts every N batches to the run's log interval.
/// @param every batches; 0: never
void use_log_interval(ConfiguredExtension& extension, Step every);

/// Reads an extension's section.
/// @returns its errors, as sentences.
Sentences read_extension(const std::string& name, const config::Node& section,
                         ConfiguredExtension& extension);

/// The records that it writes and needs, which decide its position. @throws ConfigError
OrderedExtension place_of(const ConfiguredExtension& extension);

/// Adds companions: for example early_stopping adds a checkpoint of the best state.
/// @throws ConfigError
void add_companions(std::vector<ConfiguredExtension>& extensions);

/// The indices of the extensions in the order in which they are asked (extension_order.hpp).
/// @throws ConfigError
std::vector<std::size_t> extension_order(const std::vector<ConfiguredExtension>& extensions);

/// The surroundings of a spawned extension.
struct ExtensionContext {
  caf::actor_system& system;
  const Cast& cast;
  WorkerId worker = 0;
  Layout layout;
  std::string folder = {};         ///< of the run
  RunWriter writer = {};           ///< for checkpoints
  std::string log = {};            ///< id of the run's log
  NanPolicy nan = NanPolicy::stop; ///< what a trainer does at a non-finite loss
  std::shared_ptr<const Problem> problem = {};
  std::shared_ptr<const Model> model = {}; ///< to be cloned
  bool main_only = false;                  ///< the extension acts for all workers
  bool in_flight = false; ///< training already runs, so there is no before_training
};

/// A spawned extension and its subscription.
struct SpawnedExtension {
  std::string name;
  Extension actor;
  bool gate = false;
  Subscribe subscribe;          ///< of an observer
  SubscribeGate subscribe_gate; ///< of a gate
};

/// @throws std::invalid_argument, ConfigError for invalid options.
SpawnedExtension spawn_extension(const ConfiguredExtension& extension,
                                 const ExtensionContext& context);

} // namespace troupe
