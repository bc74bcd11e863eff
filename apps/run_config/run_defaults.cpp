#include "apps/run_config/run_defaults.hpp"

#include "apps/catalog/components.hpp"
#include "apps/config/files.hpp"
#include "apps/config/overrides.hpp"
#include "apps/run_config/log_sinks.hpp"
#include "apps/run_config/run_config.hpp"
#include "base/config/decode.hpp"

#include <algorithm>
#include <cstdlib>

namespace troupe {

namespace {

using config::Node;

constexpr const char* rate_limited = "shared_params_rate_limited";

const std::vector<std::string> default_extensions{"training_monitoring", "timing",   "timestamp",
                                                  "stream_monitoring",   "printing", "progress_bar",
                                                  "checkpoint"};

struct Named {
  std::string name, source;
};

Named name_in(const Node& draft, const std::string& section, const std::string& otherwise) {
  const auto* name = config::get(draft, {section, "name"});
  if (name == nullptr || !name->is_scalar())
    return {otherwise, config::default_source};
  return {name->text(), name->source()};
}

std::uint64_t workers_in(const Node& draft) {
  const auto* workers = config::get(draft, {"training", "workers"});
  return workers != nullptr && workers->is_scalar()
           ? std::strtoull(workers->text().c_str(), nullptr, 10)
           : 1;
}

std::string type_of(const std::string& name, const Node& section) {
  const auto* type = section.find("type");
  return type != nullptr ? type->text() : name;
}

/// Whether the user chose another way for workers to share parameters than the default one. Options
/// for the default extension change neither its kind nor its position.
bool replaces_sharing(const Node& draft) {
  const auto* given = config::get(draft, {"extensions"});
  if (given == nullptr)
    return false;
  const auto& sections = given->entries();
  return std::any_of(sections.begin(), sections.end(), [](const auto& entry) {
    const auto type = type_of(entry.key, entry.value);
    if (entry.key == rate_limited)
      return is_off(entry.value) || type != rate_limited;
    return !is_off(entry.value) && shares_parameters(type);
  });
}

/// The extensions that a run has by default.
std::vector<std::string> default_extension_names(const Node& draft, bool in_cluster) {
  auto names = default_extensions;
  if (has_trainer(draft)) { // it has its own rules for validation, and writes CSV tables
    std::erase(names, "stream_monitoring");
    names.push_back("statistics");
  }
  if ((workers_in(draft) > 1 || in_cluster) && !replaces_sharing(draft))
    names.insert(names.begin(), rate_limited);
  return names;
}

/// The configuration of a default extension.
Node default_section(const std::string& name, bool in_cluster) {
  auto section = extension_defaults(name, config::default_source);
  const auto put = [&section](const char* key, const char* value) {
    section.put(key, Node::scalar(value, config::default_source));
  };
  if (name == "checkpoint") // so that a killed run can be resumed
    put("after_epoch", "true");
  if (name == "checkpoint" && in_cluster) {
    put("every_n_seconds", "600");
    put("workers", "all"); // each has its own folder, and resumes from it
  }
  return section;
}

/// In a cluster, the means of the last 100 batches and the speed are also written during an epoch.
void add_summaries(Node& extensions) {
  const auto add = [&extensions](const char* name, const char* type) {
    auto section = Node::map();
    section.put("type", Node::scalar(type, config::default_source, true));
    const auto options = extension_defaults(type, config::default_source);
    for (const auto& [key, value] : options.entries())
      section.put(key, value);
    section.put("prefix", Node::scalar(name, config::default_source, true));
    section.put("after_epoch", Node::scalar("false", config::default_source));
    section.put("every_n_batches", Node::scalar("100", config::default_source));
    extensions.put(name, std::move(section));
  };
  add("summary", "training_monitoring");
  add("speed", "timing");
}

/// Adds the defaults of the user's own extensions. A default extension keeps its defaults when the
/// user sets some of its options, unless its type is changed.
void add_given(Node& extensions, const Node& given) {
  for (const auto& [name, section] : given.entries()) {
    if (is_off(section))
      continue;
    const auto* existing = extensions.find(name);
    const auto keeps_type
      = existing != nullptr
        && (section.find("type") == nullptr || type_of(name, section) == type_of(name, *existing));
    if (!keeps_type)
      extensions.put(name, extension_defaults(type_of(name, section), section.source()));
  }
}

/// Completes a section that one source switched off and a later one on again.
void begin_with_defaults(Node& section, const Node& whole, const std::string& name) {
  const auto was_off = section.is_map() && section.source() != config::default_source;
  const auto says_on = section.is_null() || config::switch_of(section) == std::optional{true};
  if (!was_off && !says_on)
    return;
  auto completed = whole;
  config::merge(completed, section, {"extensions", name});
  section = std::move(completed);
}

Node switched_off() { return Node::scalar("false", "deleted"); }

void switch_off_deleted_triggers(Node& section, const Node& whole) {
  const auto& triggers = trigger_names();
  for (const auto& key : whole.keys())
    if (section.is_map() && section.find(key) == nullptr
        && std::find(triggers.begin(), triggers.end(), key) != triggers.end())
      section.put(key, switched_off());
}

} // namespace

Node draft_of(const ConfigSources& sources) {
  const config::Path everywhere;
  auto draft = config::read_files(sources.files);
  config::merge(draft, sources.settings);
  config::apply_environment(draft, sources.environment, everywhere);
  config::apply_overrides(draft, sources.overrides, everywhere);
  return draft;
}

Node run_defaults(const Node& draft, bool in_cluster) {
  const auto problem = name_in(draft, "problem", "digits");
  const auto model = name_in(draft, "model", "mlp");
  const auto optimizer = name_in(draft, "optimizer", "adam");
  auto defaults = Node::map();
  defaults.put("problem", problem_defaults(problem.name, problem.source));
  defaults.put("model", model_defaults(model.name, model.source));
  defaults.put("optimizer", optimizer_defaults(optimizer.name, optimizer.source));
  defaults.put("training", config::encode(TrainingOptions{}));
  defaults.put("validation", config::encode(ValidationOptions{}));
  defaults.put("testing", config::encode(TestingOptions{}));
  auto extensions = Node::map();
  for (const auto& name : default_extension_names(draft, in_cluster))
    extensions.put(name, default_section(name, in_cluster));
  if (in_cluster)
    add_summaries(extensions);
  if (const auto* given = config::get(draft, {"extensions"}))
    add_given(extensions, *given);
  defaults.put("extensions", std::move(extensions));
  if (auto sinks = log_sink_defaults(draft); !sinks.entries().empty())
    defaults.put("log", std::move(sinks));
  defaults.put("run", config::encode(RunOptions{}));
  defaults.put("cluster", config::encode(ClusterOptions{}));
  defaults.put("control", config::encode(ControlListenerOptions{}));
  defaults.put("plugins", Node::list());
  defaults.put("resume", Node::scalar("", config::default_source));
  add_trainer_defaults(defaults, draft);
  return defaults;
}

void complete_extensions(Node& tree, const Node& defaults) {
  if (tree.find("extensions") == nullptr)
    tree.put("extensions", Node::map());
  auto& extensions = *tree.find("extensions");
  if (!extensions.is_map())
    return;
  for (const auto& [name, whole] : defaults.find("extensions")->entries())
    if (auto* section = extensions.find(name)) {
      begin_with_defaults(*section, whole, name);
      switch_off_deleted_triggers(*section, whole);
    } else {
      extensions.put(name, switched_off());
    }
}

} // namespace troupe
