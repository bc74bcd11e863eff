// Writes a tree as YAML, for people and for reading it back.
#pragma once

#include "base/config/node.hpp"

#include <string>

namespace troupe::config {

/// YAML that `read_yaml` reads as an equal tree. A text is in quotes only where YAML would take it
/// for something else. The tree must be a map for that; other nodes are printed on one line.
std::string to_yaml(const Node& tree);

/// A value of a tree for a sentence or a table: as YAML, or where that has several lines, what kind
/// of thing it is.
std::string on_one_line(const Node& value);

/// The same tree, and behind each value where it comes from, aligned:
///
///   training:
///     epochs: 3           # command line: training.epochs=3
///     batch_size: 64      # default
std::string to_yaml_with_sources(const Node& tree);

} // namespace troupe::config
