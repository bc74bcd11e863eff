#include "apps/catalog/trainer_rules.hpp"

#include "apps/config/tree.hpp"
#include "base/config/decode.hpp"
#include "extensions/monitoring/stream_monitoring.hpp"
#include "extensions/saving/best_model.hpp"
#include "extensions/stopping/terminal_conditions.hpp"
#include "extensions/support/saved_state.hpp"

#include <algorithm>
#include <array>

namespace troupe {

namespace {

using config::Node;

constexpr const char* limits_path = "training.terminal_conditions";
constexpr const char* partial_prefix = "partial_valid";
constexpr const char* full_prefix = "validation";
constexpr std::array own_names{"full_validation", "partial_validation", "terminal_conditions",
                               "best_model"};

/// The draft's `trainer`; "" if it has none.
std::string trainer_named(const Node& draft) { return config::text_at(draft, {"trainer"}); }

/// Keys that have no effect without a trainer.
const std::vector<config::Path> keys_of_trainers{{"training", "terminal_conditions"},
                                                 {"validation", "partial_interval"},
                                                 {"validation", "partial_batches"},
                                                 {"model", "save_intermediate"}};

PartialValidation usual_validation(TrainerKind kind) {
  PartialValidation validation;
  if (kind == TrainerKind::online)
    validation.partial_interval = 100;
  return validation;
}

/// Keys of the section `model`.
struct KeptModels {
  bool save_intermediate = false;
  TROUPE_FIELDS(save_intermediate);
};

template <class Options>
void take_part(Node& tree, const std::string& section, const std::string& key, Options& options,
               Sentences& errors) {
  auto* parent = tree.find(section);
  const auto* node = parent != nullptr ? parent->find(key) : nullptr;
  if (node == nullptr)
    return;
  for (auto& error : config::decode(*node, options, section + "." + key))
    errors.push_back(std::move(error));
  parent->erase(key);
}

/// Moves the keys of `options` out of a section that also has others.
template <class Options>
void take_keys(Node& tree, const std::string& name, Options& options, Sentences& errors) {
  auto* section = tree.find(name);
  if (section == nullptr || !section->is_map())
    return;
  auto taken = Node::map();
  const auto known = config::encode(options);
  for (const auto& [key, unused] : known.entries())
    if (const auto* node = section->find(key)) {
      taken.put(key, *node);
      section->erase(key);
    }
  for (auto& error : config::decode(taken, options, name))
    errors.push_back(std::move(error));
}

/// Takes everything that belongs to a trainer.
void take_own(Node& tree, TrainerRules& rules, Sentences& errors) {
  take_part(tree, "training", "terminal_conditions", rules.limits, errors);
  take_keys(tree, "validation", rules.validation, errors);
  KeptModels kept;
  take_keys(tree, "model", kept, errors);
  rules.save_intermediate = kept.save_intermediate;
  if (const auto* model = config::get(tree, {"model", "name"}))
    rules.model = model->text();
}

void check_rules(const TrainerRules& rules, Sentences& errors) {
  for (auto& sentence : defects_of(rules.limits, rules.kind, limits_path))
    errors.push_back(std::move(sentence));
  if (rules.kind == TrainerKind::online && rules.validation.partial_interval <= 0)
    errors.push_back("validation.partial_interval is "
                     + std::to_string(rules.validation.partial_interval)
                     + "; online training is judged by partial validations, so give a number of "
                       "episodes, 1 or more, like 100");
  if (rules.validation.partial_batches < 1)
    errors.push_back("validation.partial_batches is 0; give a number of batches, 1 or more");
}

/// A trainer needs a single worker; with several, only some would follow its rules.
void check_alone(const Node& tree, Sentences& errors) {
  const auto complain = [&](const char* key, const std::string& fits, const std::string& cure) {
    const auto* node = config::get(tree, {"training", key});
    if (node != nullptr && node->is_scalar() && node->text() != fits)
      errors.push_back(std::string{"training."} + key + " is " + node->text() + " ("
                       + node->source() + "), but a trainer " + cure);
  };
  complain("workers", "1", "is one worker; set training.workers=1, or remove `trainer`");
  complain("epochs", "0",
           std::string{"ends by its own limits; give "} + limits_path + ".epoch_limit instead");
  complain("batches", "0",
           std::string{"ends by its own limits; give "} + limits_path + ".episode_limit instead");
}

Condition at_moment(Callback callback, std::string predicate = "") {
  Condition condition;
  condition.callback = callback;
  condition.predicate = std::move(predicate);
  return condition;
}

/// After the end, unless the last moment of training was validated already.
Condition at_the_end(const std::string& prefix) {
  return at_moment(Callback::after_training, lacks_record(prefix + "_version"));
}

Condition at_each_partial(const TrainerRules& rules) {
  return at_moment(Callback::after_batch,
                   each_episode(static_cast<Step>(rules.validation.partial_interval)));
}

ConfiguredExtension extension_of(const std::string& name, const std::string& type, Node options) {
  ConfiguredExtension extension;
  extension.name = name;
  extension.type = type;
  extension.options = std::move(options);
  return extension;
}

ConfiguredExtension validation_of(const TrainerRules& rules, bool partial) {
  StreamMonitoringOptions options;
  options.prefix = partial ? partial_prefix : full_prefix;
  options.batches = partial ? rules.validation.partial_batches : 0;
  options.spread = !partial;
  options.gate = true; // so that the saved model is the measured one
  auto validation = extension_of(partial ? own_names[1] : own_names[0], "stream_monitoring",
                                 config::encode(options));
  if (partial)
    validation.conditions.add_condition(at_each_partial(rules));
  else if (rules.kind == TrainerKind::offline)
    validation.conditions.add_condition(at_moment(Callback::after_epoch));
  if (!partial || rules.kind == TrainerKind::online)
    validation.conditions.add_condition(at_the_end(options.prefix));
  return validation;
}

std::string judged_by(const TrainerRules& rules) {
  return std::string{rules.kind == TrainerKind::online ? partial_prefix : full_prefix} + "_loss";
}

ConfiguredExtension conditions_of(const TrainerRules& rules, const Problem& problem) {
  TerminalConditionsOptions options;
  options.trainer = rules.kind;
  options.limits = rules.limits;
  options.record = judged_by(rules);
  options.curriculum_epochs
    = problem.curriculum_must_finish() ? problem.curriculum_epochs() : Epoch{0};
  auto conditions = extension_of(own_names[2], own_names[2], config::encode(options));
  conditions.conditions = terminal_conditions_conditions();
  if (rules.kind == TrainerKind::online)
    conditions.conditions.add_condition(at_each_partial(rules));
  if (rules.limits.episode_limit > 0) {
    auto limit = at_moment(Callback::after_batch);
    limit.schedule = at(static_cast<double>(rules.limits.episode_limit)).batches();
    conditions.conditions.add_condition(limit);
  }
  conditions.conditions.coalesce();
  return conditions;
}

ConfiguredExtension manager_of(const TrainerRules& rules) {
  BestModelOptions options;
  options.record = judged_by(rules);
  options.intermediate = rules.save_intermediate;
  options.model = rules.model;
  auto manager = extension_of(own_names[3], own_names[3], config::encode(options));
  if (rules.kind == TrainerKind::online)
    manager.conditions.add_condition(at_each_partial(rules));
  else
    manager.conditions.add_condition(at_moment(Callback::after_epoch));
  manager.conditions.add_condition(at_moment(Callback::after_training));
  return manager;
}

} // namespace

bool has_trainer(const Node& draft) { return !trainer_named(draft).empty(); }

void add_trainer_defaults(Node& defaults, const Node& draft) {
  defaults.put("trainer", Node::scalar("", config::default_source, true));
  TrainerKind kind{};
  if (!has_trainer(draft)) {
    Sentences errors;
    for (const auto& path : keys_of_trainers)
      if (const auto* node = config::get(draft, path))
        errors.push_back(
          config::to_string(path) + " (" + node->source()
          + ") belongs to a trainer; set trainer=offline or trainer=online, or remove it");
    if (!errors.empty())
      throw ConfigError(errors);
    return;
  }
  from_text(trainer_named(draft), kind); // an unknown name is reported after merging
  const auto keys = config::encode(usual_validation(kind));
  for (const auto& [key, value] : keys.entries())
    config::set(defaults, {"validation", key}, value);
  config::set(defaults, {"training", "epochs"}, Node::scalar("0", config::default_source));
  config::set(defaults, {"training", "terminal_conditions"}, config::encode(usual_limits(kind)));
  config::set(defaults, {"model", "save_intermediate"},
              Node::scalar("false", config::default_source));
}

std::optional<TrainerRules> take_trainer(Node& tree, Sentences& errors) {
  const auto named = trainer_named(tree);
  if (named.empty())
    return {};
  TrainerRules rules;
  if (!from_text(named, rules.kind)) {
    errors.push_back("trainer is '" + named + "' (" + tree.find("trainer")->source()
                     + "); give offline or online");
    Sentences ignored; // errors of keys that belong to some trainer
    take_own(tree, rules, ignored);
    return {};
  }
  rules.limits = usual_limits(rules.kind); // a deleted key means its default
  rules.validation = usual_validation(rules.kind);
  check_alone(tree, errors);
  take_own(tree, rules, errors);
  check_rules(rules, errors);
  return rules;
}

void check_names(const std::vector<ConfiguredExtension>& extensions, Sentences& errors) {
  for (const auto& extension : extensions)
    for (const auto* taken : own_names)
      if (extension.name == taken)
        errors.push_back("extensions." + extension.name
                         + " has the name of an extension that `trainer` adds; give yours another "
                           "name, and `type: "
                         + extension.type + "`");
}

Epoch epochs_of(const TrainerRules& rules) {
  return static_cast<Epoch>(std::max<std::int64_t>(0, rules.limits.epoch_limit));
}

void check_validation(const TrainerRules& rules, const Problem& problem) {
  if (problem.size(Section::validation) == 0)
    throw ConfigError("problem '" + problem.name() + "' has no examples to validate on, by which "
                      + to_string(rules.kind)
                      + " training is judged; give it some, or remove `trainer`");
}

std::vector<ConfiguredExtension> trainer_extensions(const TrainerRules& rules,
                                                    const Problem& problem) {
  std::vector<ConfiguredExtension> extensions{validation_of(rules, false)};
  if (rules.validation.partial_interval > 0)
    extensions.push_back(validation_of(rules, true));
  extensions.push_back(conditions_of(rules, problem));
  extensions.push_back(manager_of(rules));
  return extensions;
}

std::string training_status_in(const SavedRun& run, const TrainerRules& rules) {
  const auto saved = run.extensions.find(own_names[2]);
  if (saved == run.extensions.end())
    return "";
  Termination termination{rules.kind, rules.limits, {}};
  auto state = termination.state();
  take(saved->second, "conditions", state);
  termination.restore(state);
  termination.update(run.trainers.front().position, {});
  return termination.status();
}

void forget_terminal_causes(SavedRun& run) {
  for (auto& trainer : run.trainers)
    std::erase_if(trainer.causes, is_terminal_status);
}

} // namespace troupe
