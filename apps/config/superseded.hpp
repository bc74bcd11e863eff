// Options that were set for a component of one kind before a later source chose another kind.
#pragma once

#include "base/config/node.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace troupe::config {

/// The precedence of sources (source_layers.hpp).
class SourceOrder {
public:
  /// @param files in increasing precedence (order_of_files)
  explicit SourceOrder(std::vector<std::string> files) : files_(std::move(files)) {}

  /// Higher for a source that overrides another; all overrides of the command line have the same.
  /// @param source as in Node::source
  std::size_t rank(const std::string& source) const;

private:
  std::vector<std::string> files_;
};

/// The keys of a component's section that the chosen kind does not have.
/// @param known the keys of the chosen kind
std::vector<std::string> unknown_keys(const Node& section, const std::vector<std::string>& known);

/// Removes from a component's section the unknown keys that were set by a source below that of its
/// `name`: they were meant for another kind. Keys set by the same or a higher source stay, and are
/// refused later.
/// @returns the removed keys
std::vector<std::string> drop_superseded(Node& section, const std::vector<std::string>& unknown,
                                         const SourceOrder& order);

} // namespace troupe::config
