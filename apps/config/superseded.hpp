// Options that were given to a component of one kind, before a later source chose another kind.
#pragma once

#include "base/config/node.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace troupe::config {

/// In which order sources are laid over one another (layers.hpp).
class SourceOrder {
public:
  /// @param files as they are laid over one another (order_of_files)
  explicit SourceOrder(std::vector<std::string> files) : files_(std::move(files)) {}

  /// Higher for a source that is laid over another; all words of the command line have the same.
  /// @param source as Node::source
  std::size_t rank(const std::string& source) const;

private:
  std::vector<std::string> files_;
};

/// The keys of a component's section that the named kind does not have.
/// @param known the keys of the named kind
std::vector<std::string> strange_keys(const Node& section, const std::vector<std::string>& known);

/// Takes out of the section of a component those of its strange keys that a source below that of
/// its `name` has set: there they were meant for another kind. What the source of the name or a
/// later one has set stays, for whoever refuses it.
/// @returns the keys that were taken out
std::vector<std::string> drop_superseded(Node& section, const std::vector<std::string>& strange,
                                         const SourceOrder& order);

} // namespace troupe::config
