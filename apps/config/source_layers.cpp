#include "apps/config/source_layers.hpp"

#include "apps/config/files.hpp"
#include "apps/config/tree.hpp"

namespace troupe::config {

Node merge_layers(const SourceLayers& layers) {
  auto tree = layers.defaults;
  Sentences errors;
  const auto note
    = [&errors](const Sentences& more) { errors.insert(errors.end(), more.begin(), more.end()); };
  try {
    note(merge(tree, read_files(layers.files)));
  } catch (const ConfigError& error) {
    note(error.sentences());
  }
  note(merge(tree, layers.settings));
  note(apply_environment(tree, layers.environment, layers.open));
  note(apply_overrides(tree, layers.overrides, layers.open));
  if (!errors.empty())
    throw ConfigError(std::move(errors));
  return tree;
}

} // namespace troupe::config
