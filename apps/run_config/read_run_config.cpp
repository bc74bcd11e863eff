#include "apps/run_config/read_run_config.hpp"

#include "apps/catalog/torch_fingerprint.hpp"
#include "apps/config/files.hpp"
#include "apps/config/overrides.hpp"
#include "apps/config/plugins.hpp"
#include "apps/config/source_layers.hpp"
#include "apps/config/superseded.hpp"
#include "apps/config/tree.hpp"
#include "apps/run_config/extension_checks.hpp"
#include "apps/run_config/log_sinks.hpp"
#include "apps/run_config/multi_tests.hpp"
#include "apps/run_config/run_defaults.hpp"
#include "apps/run_config/warm_start.hpp"
#include "base/config/decode.hpp"
#include "base/config/unknown_key.hpp"
#include "base/text/text.hpp"

#include <random>

namespace troupe {

namespace {

using config::Node;

const std::vector<std::string> top_keys{
  "problem",    "model", "optimizer", "training", "trainer", "validation", "testing",
  "extensions", "log",   "run",       "cluster",  "control", "resume",     "plugins"};

/// The sections that every run needs.
const std::vector<std::string> component_sections{"problem", "model", "optimizer"};

/// Removes `resume` from the tree: it is a starting point and not part of the run's description.
std::string take_resume(Node& tree, Sentences& errors) {
  std::string resume;
  if (const auto* node = tree.find("resume"); node != nullptr && node->is_scalar())
    resume = node->text();
  else if (node != nullptr && !node->is_null())
    errors.push_back("resume is " + config::shown(*node) + " (" + node->source()
                     + "); give the folder of a run, or latest");
  tree.erase("resume");
  return resume;
}

/// Paths from the folder where the program runs; a run without plugins says nothing of them.
void settle_plugins(Node& tree) {
  settle_plugin_paths(tree, {});
  if (const auto* plugins = tree.find("plugins"); plugins != nullptr && plugins->items().empty())
    tree.erase("plugins");
}

template <class Options>
void read_section(const Node& tree, const std::string& name, Options& options, Sentences& errors) {
  if (const auto* section = tree.find(name))
    for (auto& error : config::decode(*section, options, name))
      errors.push_back(std::move(error));
}

constexpr auto most_batches = std::uint64_t{1} << 53; // the limit of schedules

void check_run(const RunOptions& run, Sentences& errors) {
  if (run.log_interval > most_batches)
    errors.push_back("run.log_interval is " + std::to_string(run.log_interval)
                     + "; give a number of batches up to 2^53, like 100");
}

void check_training(const TrainingOptions& training, Sentences& errors) {
  if (training.epochs > most_batches || training.batches > most_batches)
    errors.push_back("training.epochs or training.batches is greater than 2^53; give 0 for no end");
  if (training.batch_size < 1)
    errors.push_back("training.batch_size is " + std::to_string(training.batch_size)
                     + "; give at least 1, like 64");
  if (training.workers < 1 || training.workers > 4096)
    errors.push_back("training.workers is " + std::to_string(training.workers)
                     + "; give a number from 1 to 4096");
  if (training.threads < 1 || training.threads > 256)
    errors.push_back("training.threads is " + std::to_string(training.threads)
                     + "; give a number from 1 to 256, at most as many as there are cores");
  if (training.loader.ahead > 1024)
    errors.push_back("training.loader.ahead is " + std::to_string(training.loader.ahead)
                     + "; give a number from 0 to 1024, like 2: each is a batch in memory");
  if (training.seed < -1)
    errors.push_back("training.seed is " + std::to_string(training.seed)
                     + "; give a number of 0 or more, or -1 to draw one");
  for (const auto& [key, limit] :
       {std::pair{"element", training.clipping.element}, std::pair{"norm", training.clipping.norm},
        std::pair{"parameter_norm", training.clipping.parameter_norm}})
    if (!(limit >= 0))
      errors.push_back("training.clipping." + std::string{key} + " is " + shortest(limit)
                       + "; give a limit above 0, or 0 for none");
}

void check_cluster(const ClusterOptions& cluster, Sentences& errors) {
  if (!(cluster.lease > 0 && cluster.lease <= 3600))
    errors.push_back("cluster.lease is " + std::to_string(cluster.lease)
                     + " s; give a time up to an hour, like 1");
  if (!(cluster.grace >= 0 && cluster.grace <= 86400))
    errors.push_back("cluster.grace is " + shortest(cluster.grace)
                     + " s; give a time up to a day, like 120");
  if (auto wrong = defect(cluster.wire); !wrong.empty())
    errors.push_back("cluster.wire: " + wrong);
}

void check_control(const ControlListenerOptions& control, Sentences& errors) {
  if (!control.certs.empty() && control.insecure)
    errors.push_back("control.certs names certificates and control.insecure wants none; leave one "
                     "of them out");
  if (control.paused && control.address.empty())
    errors.push_back("control.paused is true, but without remote control the run could not be "
                     "resumed; give control.address, like 127.0.0.1:0");
}

void check_sections(const Node& tree, Sentences& errors) {
  for (const auto& [key, section] : tree.entries())
    if (std::find(top_keys.begin(), top_keys.end(), key) == top_keys.end())
      errors.push_back(
        config::unknown_key(key, "", section.source(), top_keys, config::nearest_leaf(tree, key))
        + (key.find('.') == key.npos
             ? ""
             : "; in a file a key is in its section, like " + key.substr(0, key.find('.')) + ": {"
                 + key.substr(key.find('.') + 1) + ": ...}"));
    else if (!section.is_map() && key != "trainer" && key != "plugins")
      errors.push_back("'" + key + "' (" + section.source() + ") must be a map of options");
  for (const auto& name : component_sections)
    if (tree.find(name) == nullptr)
      errors.push_back("the configuration has no " + name + "; leave out ~" + name
                       + ", and choose another with " + name + ".name=...");
}

void draw_seed(RunConfig& config) {
  if (config.training.seed != -1)
    return;
  std::random_device device;
  config.training.seed = static_cast<std::int64_t>(device() & 0x7FFFFFFF);
  config::set(config.tree, {"training", "seed"},
              Node::scalar(std::to_string(config.training.seed), "drawn"));
}

/// Choosing another optimizer (or problem, or model) means its options, not those of the one
/// before.
void drop_options_of_others(RunConfig& config, const Node& defaults, const ConfigSources& sources) {
  for (const auto& component : component_sections) {
    auto* section = config.tree.find(component);
    if (section == nullptr)
      continue;
    const auto unknown = config::unknown_keys(*section, defaults.find(component)->keys());
    if (unknown.empty())
      continue; // the usual case: the files need not be read again for their order
    const config::SourceOrder order{config::order_of_files(sources.files)};
    const auto dropped = config::drop_superseded(*section, unknown, order);
    if (!dropped.empty())
      config.remarks.push_back(
        component + " is " + section->find("name")->text() + " (" + section->find("name")->source()
        + "); options set before for another one are dropped: " + joined(dropped));
  }
}

/// Reads the sections that are structs, and checks values that depend on each other.
void read_sections(RunConfig& config, Sentences& errors) {
  auto sections = config.tree;
  config.trainer = take_trainer(sections, errors);
  read_section(sections, "training", config.training, errors);
  read_section(sections, "validation", config.validation, errors);
  read_section(config.tree, "testing", config.testing, errors);
  read_section(config.tree, "run", config.run, errors);
  read_section(config.tree, "cluster", config.cluster, errors);
  read_section(config.tree, "control", config.control, errors);
  config.log = read_log_sinks(config.tree, errors);
  check_run(config.run, errors);
  check_cluster(config.cluster, errors);
  check_control(config.control, errors);
  check_training(config.training, errors);
  check_samplers(config.training.sampler, config.validation, config.testing, errors);
  check_tests(config.tree, errors);
}

/// Reads the extensions that are not switched off.
void read_extensions(RunConfig& config, Sentences& errors) {
  const auto* extensions = config.tree.find("extensions");
  if (extensions == nullptr)
    return;
  for (const auto& [name, section] : extensions->entries()) {
    if (is_off(section))
      continue;
    if (!section.is_map()) {
      errors.push_back("extensions." + name + " is " + config::shown(section) + " ("
                       + section.source() + "); give a map of options, or true or false");
      continue;
    }
    ConfiguredExtension extension;
    for (auto& error : read_extension(name, section, extension))
      errors.push_back(std::move(error));
    if (section.find("every_n_batches") == nullptr && config.run.log_interval <= most_batches)
      use_log_interval(extension, config.run.log_interval);
    config.extensions.push_back(std::move(extension));
  }
}

} // namespace

std::string resume_in(const ConfigSources& sources) {
  config::SourceLayers only;
  only.defaults.put("resume", Node::scalar("", config::default_source));
  only.files = sources.files;
  const auto variable = std::string{config::environment_prefix} + "RESUME=";
  for (const auto& entry : sources.environment)
    if (lower_case(entry).starts_with(lower_case(variable)))
      only.environment.push_back(entry);
  for (const auto& override : sources.overrides)
    if (config::parse_override(override).path == config::Path{"resume"})
      only.overrides.push_back(override);
  auto tree = config::merge_layers(only);
  Sentences errors;
  auto resume = take_resume(tree, errors);
  if (!errors.empty())
    throw ConfigError(errors);
  return resume;
}

RunConfig read_run_config(const ConfigSources& sources) {
  auto draft = draft_of(sources);
  settle_plugin_paths(draft, {}); // those of the command line
  load_plugins(draft);
  const auto defaults = run_defaults(draft, sources.in_cluster);

  RunConfig config;
  // Extensions check their keys themselves (read_extension), so a trigger may be set that has no
  // default.
  config.tree
    = config::merge_layers({defaults, sources.files, sources.settings, sources.environment,
                            sources.overrides, config::Path{"extensions"}});
  settle_plugins(config.tree);
  complete_extensions(config.tree, defaults);
  drop_options_of_others(config, defaults, sources);

  Sentences errors;
  config.resume = take_resume(config.tree, errors);
  if (!has_trainer(config.tree))
    config.tree.erase("trainer");
  check_sections(config.tree, errors);
  list_indices(config.tree);
  settle_loads(config.tree);
  read_sections(config, errors);
  read_extensions(config, errors);
  if (config.trainer) {
    check_names(config.extensions, errors);
    config.training.epochs = epochs_of(*config.trainer);
  }
  check_extensions(config, std::max(sources.workers, config.training.workers), errors);
  if (!errors.empty())
    throw ConfigError(errors);
  for (auto& remark : config::remarks_on_misnamed(config.tree, sources.misnamed_variables))
    config.remarks.push_back(std::move(remark));
  draw_seed(config);
  record_fingerprint(config.tree);
  return config;
}

} // namespace troupe
