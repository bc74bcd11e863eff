#include "troupe/apps/run_config.hpp"

#include "troupe/apps/components.hpp"
#include "troupe/apps/config/decode.hpp"
#include "troupe/apps/config/files.hpp"
#include "troupe/apps/config/layers.hpp"
#include "troupe/apps/config/nearest.hpp"
#include "troupe/apps/config/overrides.hpp"
#include "troupe/apps/config/tree.hpp"
#include "troupe/apps/extension_checks.hpp"
#include "troupe/apps/multi_tests.hpp"
#include "troupe/apps/sync_checks.hpp"
#include "troupe/apps/torch_file.hpp"
#include "troupe/apps/warm_start.hpp"
#include "troupe/messages/text.hpp"

#include <random>

namespace troupe {

namespace {

using config::Node;

const std::vector<std::string> top_keys{"problem", "model",      "optimizer", "training",
                                        "trainer", "validation", "testing",   "extensions",
                                        "run",     "cluster",    "control",   "resume"};

const std::vector<std::string> default_extensions{"training_monitoring", "timing",   "timestamp",
                                                  "stream_monitoring",   "printing", "progress_bar",
                                                  "checkpoint"};

bool is_off(const Node& node) {
  return node.is_scalar()
         && (node.text() == "false" || node.text() == "off" || node.text() == "no");
}

/// "a.b=c" as an override that works whatever is there: to learn which components are named.
std::string forced(const std::string& word) {
  if (word.starts_with("~") || word.starts_with("++"))
    return word;
  return word.starts_with("+") ? "+" + word : "++" + word;
}

/// Extensions check their keys themselves (read_extension), so that a trigger may be set that is in
/// no default.
std::vector<std::string> extensions_forced(std::vector<std::string> words) {
  for (auto& word : words)
    if (word.starts_with("extensions.") || word.starts_with("+extensions."))
      word = forced(word);
  return words;
}

/// The configuration without defaults: it tells which components are named, hence which defaults
/// there are.
Node draft(const ConfigSources& sources) {
  auto tree = config::read_files(sources.files);
  config::merge(tree, sources.settings); // what does not fit is told of when all is put together
  config::apply_environment(tree, sources.environment);
  for (const auto& word : sources.overrides)
    if (!word.starts_with("~"))
      config::apply_overrides(tree, {forced(word)});
  return tree;
}

struct Named {
  std::string name, source;
};

Named name_in(const Node& tree, const std::string& section, const std::string& otherwise) {
  const auto* name = config::get(tree, {section, "name"});
  if (name == nullptr || !name->is_scalar())
    return {otherwise, config::default_source};
  auto source = name->source(); // a draft's override was forced, the user's was not
  if (const auto marks = source.find(": ++"); marks != std::string::npos)
    source.erase(marks + 2, 2);
  return {name->text(), source};
}

std::uint64_t workers_in(const Node& tree) {
  const auto* workers = config::get(tree, {"training", "workers"});
  return workers != nullptr && workers->is_scalar()
           ? std::strtoull(workers->text().c_str(), nullptr, 10)
           : 1;
}

/// The extensions that a run has unless it says otherwise.
std::vector<std::string> usual_extensions(const Node& tree, bool in_cluster) {
  auto names = default_extensions;
  if (has_trainer(tree)) { // it validates by its own rules, and leaves tables of numbers
    std::erase(names, "stream_monitoring");
    names.push_back("statistics");
  }
  const auto* given = config::get(tree, {"extensions"});
  const auto syncs = given != nullptr
                     && (given->find("shared_params_auto_sync") != nullptr
                         || given->find("shared_params_rate_limited") != nullptr);
  if ((workers_in(tree) > 1 || in_cluster) && !syncs)
    names.insert(names.begin(), "shared_params_rate_limited");
  return names;
}

/// What a usual extension is configured with.
Node usual_section(const std::string& name, bool in_cluster) {
  auto section = extension_defaults(name, config::default_source);
  const auto put = [&section](const char* key, const char* value) {
    section.put(key, Node::scalar(value, config::default_source));
  };
  if (name == "checkpoint") // so that a run that is killed can go on
    put("after_epoch", "true");
  if (name == "checkpoint" && in_cluster)
    put("every_n_seconds", "600");
  return section;
}

/// In a cluster the means of the last 100 batches and the speed are written while an epoch lasts.
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

Node defaults_for(const Node& tree, bool in_cluster) {
  const auto problem = name_in(tree, "problem", "digits");
  const auto model = name_in(tree, "model", "mlp");
  const auto optimizer = name_in(tree, "optimizer", "adam");
  auto defaults = Node::map();
  defaults.put("problem", problem_defaults(problem.name, problem.source));
  defaults.put("model", model_defaults(model.name, model.source));
  defaults.put("optimizer", optimizer_defaults(optimizer.name, optimizer.source));
  defaults.put("training", config::encode(TrainingOptions{}));
  defaults.put("validation", config::encode(ValidationOptions{}));
  defaults.put("testing", config::encode(TestingOptions{}));
  auto extensions = Node::map();
  const auto* given = config::get(tree, {"extensions"});
  for (const auto& name : usual_extensions(tree, in_cluster))
    extensions.put(name, usual_section(name, in_cluster));
  if (in_cluster)
    add_summaries(extensions);
  if (given != nullptr)
    for (const auto& [name, section] : given->entries())
      if (!is_off(section)) {
        const auto* type = section.find("type");
        extensions.put(name,
                       extension_defaults(type != nullptr ? type->text() : name, section.source()));
      }
  defaults.put("extensions", std::move(extensions));
  defaults.put("run", config::encode(RunOptions{}));
  defaults.put("cluster", config::encode(ClusterOptions{}));
  defaults.put("control", config::encode(ControlDoorOptions{}));
  defaults.put("resume", Node::scalar("", config::default_source));
  add_trainer_defaults(defaults, tree);
  return defaults;
}

/// `name: false` takes a usual extension away; as a value it could not be laid over a map.
void take_away(Node& defaults, const Node& tree) {
  const auto* given = config::get(tree, {"extensions"});
  if (given == nullptr)
    return;
  auto* extensions = defaults.find("extensions");
  for (const auto& [name, section] : given->entries())
    if (is_off(section))
      extensions->put(name, section);
}

/// Takes `resume` out of the tree: it says where the run begins, not what the run is.
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

template <class Options>
void read_section(const Node& tree, const std::string& name, Options& options, Sentences& errors) {
  if (const auto* section = tree.find(name))
    for (auto& error : config::decode(*section, options, name))
      errors.push_back(std::move(error));
}

void check_training(const TrainingOptions& training, Sentences& errors) {
  constexpr auto most = std::uint64_t{1} << 53; // as schedules count
  if (training.epochs > most || training.batches > most)
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
                     + "; give a number from 0 on, or -1 to draw one");
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
  if (auto wrong = defect(cluster.wire); !wrong.empty())
    errors.push_back("cluster.wire: " + wrong);
}

void check_control(const ControlDoorOptions& control, Sentences& errors) {
  if (control.paused && control.address.empty())
    errors.push_back("control.paused is true, but nobody could tell the run to go on; give "
                     "control.address, like 127.0.0.1:0");
}

void draw_seed(RunConfig& config) {
  if (config.training.seed != -1)
    return;
  std::random_device device;
  config.training.seed = static_cast<std::int64_t>(device() & 0x7FFFFFFF);
  config::set(config.tree, {"training", "seed"},
              Node::scalar(std::to_string(config.training.seed), "drawn"));
}

} // namespace

std::string resume_in(const ConfigSources& sources) {
  config::Layers only;
  only.defaults.put("resume", Node::scalar("", config::default_source));
  only.files = sources.files;
  const auto variable = std::string{config::environment_prefix} + "RESUME=";
  for (const auto& entry : sources.environment)
    if (lower_case(entry).starts_with(lower_case(variable)))
      only.environment.push_back(entry);
  for (const auto& word : sources.overrides)
    if (config::parse_override(word).path == config::Path{"resume"})
      only.overrides.push_back(word);
  auto tree = config::put_together(only);
  Sentences errors;
  auto resume = take_resume(tree, errors);
  if (!errors.empty())
    throw ConfigError(errors);
  return resume;
}

RunConfig read_run_config(const ConfigSources& sources) {
  const auto named = draft(sources);
  auto defaults = defaults_for(named, sources.in_cluster);
  take_away(defaults, named);

  RunConfig config;
  config.tree = config::put_together({std::move(defaults), sources.files, sources.settings,
                                      sources.environment, extensions_forced(sources.overrides)});

  Sentences errors;
  config.resume = take_resume(config.tree, errors);
  if (!has_trainer(config.tree))
    config.tree.erase("trainer");
  for (const auto& [key, section] : config.tree.entries())
    if (std::find(top_keys.begin(), top_keys.end(), key) == top_keys.end())
      errors.push_back(config::unknown_key(key, "", section.source(), top_keys));
    else if (!section.is_map() && key != "trainer")
      errors.push_back("'" + key + "' (" + section.source() + ") must be a map of options");
  list_indices(config.tree);
  settle_loads(config.tree);
  auto sections = config.tree;
  config.trainer = take_trainer(sections, errors);
  read_section(sections, "training", config.training, errors);
  read_section(sections, "validation", config.validation, errors);
  read_section(config.tree, "testing", config.testing, errors);
  read_section(config.tree, "run", config.run, errors);
  read_section(config.tree, "cluster", config.cluster, errors);
  read_section(config.tree, "control", config.control, errors);
  check_cluster(config.cluster, errors);
  check_control(config.control, errors);
  check_training(config.training, errors);
  check_samplers(config.training.sampler, config.validation, config.testing, errors);
  check_tests(config.tree, errors);
  if (const auto* extensions = config.tree.find("extensions"))
    for (const auto& [name, section] : extensions->entries()) {
      if (is_off(section))
        continue;
      ConfiguredExtension extension;
      for (auto& error : read_extension(name, section, extension))
        errors.push_back(std::move(error));
      if (section.find("every_n_batches") == nullptr)
        use_log_interval(extension, config.run.log_interval);
      config.extensions.push_back(std::move(extension));
    }
  if (config.trainer) {
    check_names(config.extensions, errors);
    config.training.epochs = epochs_of(*config.trainer);
  }
  check_syncs(config, std::max(sources.workers, config.training.workers), errors);
  check_extensions(config, errors);
  if (!errors.empty())
    throw ConfigError(errors);
  draw_seed(config);
  note_fingerprint(config.tree);
  return config;
}

} // namespace troupe
