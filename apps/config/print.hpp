// Writes a tree as YAML, to be shown and to be read back.
#pragma once

#include "base/config/node.hpp"

#include <string>

namespace troupe::config {

/// YAML that `read_yaml` reads as an equal tree. Texts are quoted only if YAML requires it. The
/// tree must be a map for that; other nodes are printed on one line.
std::string to_yaml(const Node& tree);

/// A setting on one line, without a line feed: "0.01", "[64, 32]".
std::string setting_text(const Node& value);

/// A value for a sentence or a table: as YAML on one line, or a description of its kind if it has
/// several lines.
std::string on_one_line(const Node& value);

/// The same tree, with the source of each value after it, aligned:
///
///   training:
///     epochs: 3           # command line: training.epochs=3
///     batch_size: 64      # default
std::string to_yaml_with_sources(const Node& tree);

} // namespace troupe::config
