#include "apps/run_config/log_sinks.hpp"

#include "base/config/unknown_key.hpp"

#include <stdexcept>

namespace troupe {

namespace {

using config::Node;

/// A map: what else the section may be is reported with all sections.
Node sinks_named_in(const Node& tree) {
  const auto* section = tree.find("log");
  return section != nullptr && section->is_map() ? *section : Node::map();
}

} // namespace

Node log_sink_defaults(const Node& draft) {
  auto defaults = Node::map();
  const auto sinks = sinks_named_in(draft);
  for (const auto& [name, section] : sinks.entries()) {
    const auto* kind = log_sink_kinds().find(name);
    if (kind == nullptr)
      throw ConfigError(
        config::unknown_key(name, "log", section.source(), log_sink_kinds().names()));
    defaults.put(name, kind->defaults());
  }
  return defaults;
}

std::vector<NamedLogSink> read_log_sinks(const Node& tree, Sentences& errors) {
  const auto sinks = sinks_named_in(tree);
  std::vector<NamedLogSink> named;
  for (const auto& [name, section] : sinks.entries()) {
    const auto path = "log." + name;
    try {
      if (const auto* kind = log_sink_kinds().find(name))
        named.push_back({name, kind->make(section, path)});
    } catch (const ConfigError& error) {
      errors.insert(errors.end(), error.sentences().begin(), error.sentences().end());
    } catch (const std::invalid_argument& error) {
      errors.push_back(path + ": " + error.what());
    }
  }
  return named;
}

} // namespace troupe
