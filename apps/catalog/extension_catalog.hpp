// The extensions that a configuration can name, and how each is connected to a run.
#pragma once

#include "base/config/node.hpp"
#include "base/failure.hpp"
#include "extensions/support/configured_extension.hpp"
#include "extensions/support/extension_context.hpp"
#include "messages/loop/extension_order.hpp"

#include <string>
#include <vector>

namespace troupe {

/// The section of an extension with all options at their defaults, without conditions.
/// @throws ConfigError for an unknown kind, with the nearest one.
config::Node extension_defaults(const std::string& type, const std::string& source);

std::vector<std::string> extension_names();

/// Whether an extension uses the statistics of problem and model for each batch.
bool wants_statistics(const ConfiguredExtension& extension);

/// Whether extensions of this kind share the parameters of several workers.
bool shares_parameters(const std::string& type);

/// All that do.
std::vector<std::string> sharing_extension_names();

/// Whether it prints the rows of a run: the one of its kind's name, not one that is extra.
bool prints_all_rows(const ConfiguredExtension& extension);

/// Whether it shows progress, for which a run without a progress line has no use.
bool shows_progress(const ConfiguredExtension& extension);

/// Leaves out what a worker without files has no use for: extensions that save the run and, unless
/// another one needs a record, those that only write records or print rows.
void leave_out_recorders(std::vector<ConfiguredExtension>& extensions);

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
std::vector<std::size_t> configured_order(const std::vector<ConfiguredExtension>& extensions);

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
