// The configuration of one run while it is put together: what the code supposes and what the user
// says, in two trees, seen by each component through a view of its own section.
#pragma once

#include "troupe/apps/config/tree.hpp"

#include <optional>

namespace troupe::config {

class Settings;

/// The part of the settings below one path. A component is given one and never learns where its
/// section lies. Must not outlive the settings; copies show the same settings.
class View {
public:
  /// The section below this one.
  View view(std::string_view dotted) const;

  /// A snapshot: the defaults with the user's values over them. An empty map where nothing is set.
  Node effective() const;
  std::optional<Node> get(std::string_view dotted) const; ///< nothing where absent

  /// Merges into the defaults, or the user's values, of this section. Among equals the last call
  /// wins; the user's values win over defaults whatever the order of the calls.
  /// @throws ConfigError where a map meets a single value, and changes nothing.
  void add_defaults(const Node& values);
  void add_config(const Node& values);

  /// @throws ConfigError where there is no such default, or user's value.
  void delete_default(std::string_view dotted);
  void delete_config(std::string_view dotted);

  std::vector<Leaf> leafs() const; ///< of the effective values; paths from this section
  /// Sets the user's value of the one leaf of this section called `name`.
  /// @returns its path from this section. @throws ConfigError where none or several have the name.
  Path set_leaf(std::string_view name, Node value);

private:
  friend class Settings;
  View(Settings& settings, Path at) : settings_(&settings), at_(std::move(at)) {}
  Path below(std::string_view dotted) const;

  Settings* settings_;
  Path at_;
};

/// Owns both trees. One per run: nothing here is global.
class Settings {
public:
  Settings() = default;
  Settings(const Settings&) = delete; // views point here
  Settings& operator=(const Settings&) = delete;

  View root() { return {*this, {}}; }
  Node effective() const;

private:
  friend class View;
  void add(Node& tree, const Path& at, const Node& values);

  Node defaults_ = Node::map();
  Node config_ = Node::map();
};

} // namespace troupe::config
