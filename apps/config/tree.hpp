// Reading and changing a configuration by paths such as "training.terminal_conditions.epoch_limit".
#pragma once

#include "base/config/node.hpp"
#include "base/exit_codes.hpp"

namespace troupe::config {

/// The keys from the root down; empty is the root itself.
using Path = std::vector<std::string>;

/// Splits at dots; `\.` is a dot inside a key and `\\` a backslash. "" is the root.
/// @throws UsageError for an empty key ("a..b") or more than `depth_limit` keys.
Path parse_path(std::string_view dotted);
/// The inverse of `parse_path`.
std::string to_string(const Path& path);

/// @returns the node at `path`, nullptr where there is none.
const Node* get(const Node& tree, const Path& path);
Node* get(Node& tree, const Path& path);

/// @returns the scalar's text at `path`, "" where there is none.
std::string text_at(const Node& tree, const Path& path);

/// Whether `value` at `path` switches an extension as a whole, like `extensions.timing: false`.
/// Such a switch and a map of options replace each other.
bool is_extension_switch(const Path& path, const Node& value);

/// Replaces what lies at `path`, creating the maps on the way there; an extension's switch on the
/// way gives way to its options.
/// @throws ConfigError where the way leads through a scalar or list, naming both sources.
void set(Node& tree, const Path& path, Node value);

/// @returns that the first part of `path` that is not there is unknown, with the nearest key; ""
/// where all of it is there.
std::string unknown_at(const Node& tree, const Path& path);

/// Deletes what lies at `path`.
/// @throws ConfigError where there is nothing, with the nearest key; ConfigError for the root.
void remove(Node& tree, const Path& path);

/// Lays `over` over `under`: maps are merged key by key, lists and scalars replaced whole. An
/// empty value over a map changes nothing, since a section whose every line is a comment reads so.
/// An extension's switch and its options replace each other, but on over options changes nothing.
/// @returns a sentence for each map that would replace a scalar or list, or the reverse, naming
///          both sources; `under` keeps its value there. `path` begins the paths in them.
Sentences merge(Node& under, const Node& over, const Path& path = {});

/// A value that is not a map, and where it lies.
struct Leaf {
  Path path;
  Node value;
};

/// All leaves, depth first, in the order of their keys.
std::vector<Leaf> leafs(const Node& tree);

/// Where in a section of the tree a value is called `name`, or nearly so: "training.epochs"; "" for
/// nowhere.
std::string nearest_leaf(const Node& tree, std::string_view name);

/// The path of the one leaf whose last key is `name`.
/// @throws ConfigError where there is none (with the nearest name) or more than one (with all).
Path find_leaf(const Node& tree, std::string_view name);

} // namespace troupe::config
