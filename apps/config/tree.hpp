// Reads and changes a configuration by paths such as "training.terminal_conditions.epoch_limit".
#pragma once

#include "base/config/node.hpp"
#include "base/failure.hpp"

namespace troupe::config {

/// The keys from the root down; an empty path is the root itself.
using Path = std::vector<std::string>;

/// Splits at dots; `\.` is a dot inside a key and `\\` a backslash. "" is the root.
/// @throws UsageError for an empty key ("a..b") or more than `depth_limit` keys.
Path parse_path(std::string_view dotted);
/// The inverse of `parse_path`.
std::string to_string(const Path& path);

/// @returns the node at `path`; nullptr if there is none.
const Node* get(const Node& tree, const Path& path);
Node* get(Node& tree, const Path& path);

/// @returns the scalar's text at `path`; "" if there is none.
std::string text_at(const Node& tree, const Path& path);

/// Whether `value` at `path` switches a whole extension on or off, like `extensions.timing: false`.
/// Such a switch and a map of options replace each other.
bool is_extension_switch(const Path& path, const Node& value);

/// Replaces the value at `path`, creating missing maps; the switch of an extension is replaced by
/// its options.
/// @throws ConfigError if the path leads through a scalar or list, naming both sources.
void set(Node& tree, const Path& path, Node value);

/// @returns a sentence that the first missing part of `path` is unknown, with the nearest key; ""
/// if the whole path exists.
std::string unknown_at(const Node& tree, const Path& path);

/// Deletes the value at `path`.
/// @throws ConfigError if there is none, with the nearest key, and for the root.
void remove(Node& tree, const Path& path);

/// Merges `over` into `under`: maps key by key, while lists and scalars are replaced. A null over a
/// map changes nothing, since a section with all lines commented out is null. An extension's switch
/// and its options replace each other, but switching options on changes nothing.
/// @returns a sentence for each map that would replace a scalar or list, or the reverse, naming
/// both sources; `under` keeps its value there. `path` is the prefix of the paths in them.
Sentences merge(Node& under, const Node& over, const Path& path = {});

/// A value that is not a map, and its path.
struct Leaf {
  Path path;
  Node value;
};

/// All leaves, depth first, in the order of their keys.
std::vector<Leaf> leaves(const Node& tree);

/// The path of a value, within a section, whose name is or resembles `name`: "training.epochs"; ""
/// if there is none.
std::string nearest_leaf(const Node& tree, std::string_view name);

/// The path of the one leaf whose last key is `name`.
/// @throws ConfigError if there is none (with the nearest name) or more than one (with all).
Path find_leaf(const Node& tree, std::string_view name);

} // namespace troupe::config
