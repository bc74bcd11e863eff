// Plugins of a configuration: shared objects with extensions, problems, models and so on that
// Troupe is built without.
//
//   plugins: [./libmine.so]
//
// They are loaded before the rest of the configuration is looked at, since it may name what they
// register.
#pragma once

#include "base/config/node.hpp"
#include "base/plugin.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace troupe {

/// Turns relative paths of plugins in the tree of a file, or of a command line, into absolute ones,
/// so that a run that is resumed finds them again. What is no list of paths is left to
/// `load_plugins`.
/// @param folder where relative paths count from
void settle_plugin_paths(config::Node& tree, const std::filesystem::path& folder);

/// Loads the plugins of a configuration that are not loaded yet. They stay until the program ends.
/// @throws ConfigError if `plugins` is no list of paths, and for each file that is missing, no
/// plugin, not allowed, built for another version or by another compiler, or registers a name that
/// there is already.
void load_plugins(const config::Node& tree);

/// The environment variable that lists the plugins which a process may load, separated by colons;
/// "" allows none. If it is not set, a process loads what its configuration names.
inline constexpr const char* allowed_plugins = "TROUPE_PLUGINS";

/// From now on this process and its children load only these plugins, and those that the
/// environment allowed before: for a process whose configurations come from elsewhere. Call it
/// before other threads start.
void allow_only_plugins(const std::vector<std::string>& paths);

/// @throws ConfigError if a configuration names a plugin that this process may not load, with
/// the argument that allows it.
void check_allowed(const config::Node& tree);

/// Why a plugin with such a stamp cannot be used by a program with the other; "" if it can.
std::string stamp_defect(const PluginStamp& plugin, const PluginStamp& own);

/// That no two extensions, problems or the like that are linked to the program have one name.
/// @throws ConfigError
void check_registered_names();

} // namespace troupe
