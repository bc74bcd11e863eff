// Everything that a configuration can name, with its options: for people, and for programs that
// write configurations or a reference.
#pragma once

#include "base/config/node.hpp"

#include <string>
#include <vector>

namespace troupe {

/// How an extension takes part with its options at their defaults.
struct ListedExtension {
  bool gate = false;                      ///< training waits for its answer
  std::string workers = {};               ///< "main" or "all"
  double deadline = 0;                    ///< seconds for a gate's answer; inf: none
  std::vector<std::string> triggers = {}; ///< "after_epoch", "every_n_batches: each(100 batches)"
  std::vector<std::string> writes = {};   ///< records; a trailing '*' matches any rest
  std::vector<std::string> needs = {};    ///< records that others have to write
};

/// One component as it is registered.
struct ListedComponent {
  std::string kind;               ///< one of listed_kinds()
  std::string name;               ///< unique in its kind
  config::Node options;           ///< a map of the defaults, without the name
  ListedExtension extension = {}; ///< of an extension
};

/// "problem", "model", "layer", "loss", "metric", "optimizer", "update_rule", "log_sink",
/// "extension".
const std::vector<std::string>& listed_kinds();

/// All that are linked or loaded, by kind and name.
std::vector<ListedComponent> listed_components();

/// A line for each kind with the names of its components.
std::string kinds_text(const std::vector<ListedComponent>& components);

/// The options of one component as YAML, and of an extension how it takes part.
std::string component_text(const ListedComponent& component);

/// An array of objects in their order; options have the types that YAML gives them.
std::string components_json(const std::vector<ListedComponent>& components);

} // namespace troupe
