#include "troupe/apps/extension_catalog.hpp"

#include "troupe/apps/config/decode.hpp"
#include "troupe/apps/config/nearest.hpp"
#include "troupe/apps/config/tree.hpp"
#include "troupe/extensions/checkpoint.hpp"
#include "troupe/extensions/early_stopping.hpp"
#include "troupe/extensions/finish_after.hpp"
#include "troupe/extensions/finish_if_no_improvement.hpp"
#include "troupe/extensions/histograms.hpp"
#include "troupe/extensions/load.hpp"
#include "troupe/extensions/nan_guard.hpp"
#include "troupe/extensions/norms.hpp"
#include "troupe/extensions/parameter_modifier.hpp"
#include "troupe/extensions/printing.hpp"
#include "troupe/extensions/profile.hpp"
#include "troupe/extensions/progress_bar.hpp"
#include "troupe/extensions/shared_params_auto_sync.hpp"
#include "troupe/extensions/shared_params_rate_limited.hpp"
#include "troupe/extensions/stop_after_time_elapsed.hpp"
#include "troupe/extensions/stream_monitoring.hpp"
#include "troupe/extensions/timestamp.hpp"
#include "troupe/extensions/timing.hpp"
#include "troupe/extensions/track_the_best.hpp"
#include "troupe/extensions/training_monitoring.hpp"

#include <algorithm>
#include <functional>

namespace troupe {

namespace {

using config::Node;

struct ExtensionKind {
  std::string name;
  bool gate = false;            ///< else an observer
  Shows shows = Shows::nothing; ///< what events carry a snapshot of
  std::string workers = "main";
  OnLoss on_end = OnLoss::proceed;
  std::function<Node()> defaults;
  std::function<Conditions()> conditions;
  std::function<Extension(const Node& options, const std::string& path, const ExtensionContext&)>
    spawn;
  /// Whether it has to see every batch, with these options; then it is a gate. None: never.
  std::function<bool(const Node& options)> needs_every_batch = {};
};

template <class Options>
Options extension_options(const Node& node, const std::string& path) {
  Options options;
  if (auto errors = config::decode(node, options, path); !errors.empty())
    throw ConfigError(errors);
  return options;
}

struct FinishAfterOptions {
  std::string reason = "finish_after asked for it";
  FIELDS(reason);
};

/// An observer of each worker's floats that needs its options, the layout and the logger.
template <class Options, class Spawn>
ExtensionKind looking_kind(std::string name, Conditions (*conditions)(), Spawn spawn) {
  return {std::move(name),
          false,
          Shows::gradients,
          "main",
          OnLoss::proceed,
          [] { return config::encode(Options{}); },
          conditions,
          [spawn](const Node& node, const std::string& path, const ExtensionContext& context) {
            return spawn(context.system, extension_options<Options>(node, path), context.layout,
                         context.cast.logger);
          }};
}

/// An extension that needs its options and the logger.
template <class Options, class Spawn>
ExtensionKind logging_kind(std::string name, Conditions (*conditions)(), Spawn spawn,
                           std::string workers) {
  return {std::move(name),
          false,
          Shows::nothing,
          std::move(workers),
          OnLoss::proceed,
          [] { return config::encode(Options{}); },
          conditions,
          [spawn](const Node& node, const std::string& path, const ExtensionContext& context) {
            return spawn(context.system, extension_options<Options>(node, path),
                         context.cast.logger);
          }};
}

/// The same, of a gate that training does not do without.
template <class Options, class Spawn>
ExtensionKind deciding_kind(std::string name, Conditions (*conditions)(), Spawn spawn) {
  auto kind = logging_kind<Options>(std::move(name), conditions, spawn, "main");
  kind.gate = true;
  kind.on_end = OnLoss::fail;
  return kind;
}

const std::vector<ExtensionKind>& kinds() {
  static const std::vector<ExtensionKind> all{
    {"finish_after", true, Shows::nothing, "all", OnLoss::fail,
     [] { return config::encode(FinishAfterOptions{}); }, [] { return Conditions{}; },
     [](const Node& node, const std::string& path, const ExtensionContext& context) {
       return spawn_finish_after(context.system,
                                 extension_options<FinishAfterOptions>(node, path).reason);
     }},
    {"shared_params_auto_sync", true, Shows::parameters, "all", OnLoss::fail,
     [] { return config::encode(ParameterSyncOptions{}); }, shared_params_auto_sync_conditions,
     [](const Node& node, const std::string& path, const ExtensionContext& context) {
       return spawn_shared_params_auto_sync(context.system,
                                            extension_options<ParameterSyncOptions>(node, path),
                                            context.cast.holders[context.worker], context.layout);
     }},
    {"shared_params_rate_limited", true, Shows::parameters, "all", OnLoss::fail,
     [] {
       SharedParamsRateLimitedOptions options;
       options.limit.maximum_rate = 0.25;
       return config::encode(options);
     },
     shared_params_rate_limited_conditions,
     [](const Node& node, const std::string& path, const ExtensionContext& context) {
       return spawn_shared_params_rate_limited(
         context.system, extension_options<SharedParamsRateLimitedOptions>(node, path),
         context.cast.holders[context.worker], context.layout, context.cast.logger);
     }},
    {"stop_after_time_elapsed", true, Shows::nothing, "all", OnLoss::fail,
     [] { return config::encode(StopAfterTimeElapsedOptions{}); },
     stop_after_time_elapsed_conditions,
     [](const Node& node, const std::string& path, const ExtensionContext& context) {
       return spawn_stop_after_time_elapsed(
         context.system, extension_options<StopAfterTimeElapsedOptions>(node, path),
         context.cast.trainers[context.worker], context.cast.timer);
     }},
    {"parameter_modifier", true, Shows::nothing, "all", OnLoss::fail,
     [] { return config::encode(ParameterModifierOptions{}); }, parameter_modifier_conditions,
     [](const Node& node, const std::string& path, const ExtensionContext& context) {
       return spawn_parameter_modifier(context.system,
                                       extension_options<ParameterModifierOptions>(node, path),
                                       context.cast.logger);
     }},
    {"nan_guard", true, Shows::optimizer, "all", OnLoss::fail,
     [] { return config::encode(NanGuardOptions{}); }, nan_guard_conditions,
     [](const Node& node, const std::string& path, const ExtensionContext& context) {
       return spawn_nan_guard(context.system, extension_options<NanGuardOptions>(node, path),
                              context.cast.logger);
     }},
    looking_kind<NormsOptions>("norms", norms_conditions, spawn_norms),
    looking_kind<HistogramsOptions>("histograms", histograms_conditions, spawn_histograms),
    {"training_monitoring", false, Shows::nothing, "all", OnLoss::proceed,
     [] { return config::encode(TrainingMonitoringOptions{}); }, training_monitoring_conditions,
     [](const Node& node, const std::string& path, const ExtensionContext& context) {
       return spawn_training_monitoring(context.system,
                                        extension_options<TrainingMonitoringOptions>(node, path),
                                        context.cast.logger);
     },
     [](const Node& node) {
       LossAggregation aggregation{};
       const auto* option = node.find("aggregation");
       return option != nullptr && from_text(option->text(), aggregation)
              && loss_quantity(aggregation) != nullptr;
     }},
    logging_kind<TimingOptions>("timing", timing_conditions, spawn_timing, "all"),
    {"timestamp", false, Shows::nothing, "all", OnLoss::proceed,
     [] { return config::encode(TimestampOptions{}); }, timestamp_conditions,
     [](const Node& node, const std::string& path, const ExtensionContext& context) {
       return spawn_timestamp(context.system, extension_options<TimestampOptions>(node, path),
                              context.cast.logger);
     }},
    {"stream_monitoring", true, Shows::parameters, "main", OnLoss::proceed,
     [] { return config::encode(StreamMonitoringOptions{}); }, stream_monitoring_conditions,
     [](const Node& node, const std::string& path, const ExtensionContext& context) {
       return spawn_stream_monitoring(context.system,
                                      extension_options<StreamMonitoringOptions>(node, path),
                                      context.cast.evaluator, context.cast.logger);
     }},
    {"load", true, Shows::parameters, "all", OnLoss::fail,
     [] { return config::encode(LoadOptions{}); }, load_conditions,
     [](const Node& node, const std::string& path, const ExtensionContext& context) {
       return spawn_load(context.system, extension_options<LoadOptions>(node, path), context.layout,
                         context.cast.logger);
     }},
    {"checkpoint", true, Shows::nothing, "main", OnLoss::proceed,
     [] { return config::encode(CheckpointOptions{}); }, checkpoint_conditions,
     [](const Node& node, const std::string& path, const ExtensionContext& context) {
       return caf::actor_cast<Extension>(
         spawn_checkpoint(context.system, extension_options<CheckpointOptions>(node, path),
                          {context.cast.trainers, context.cast.holder, context.cast.logger,
                           context.writer, context.folder, context.log}));
     }},
    {"profile", false, Shows::nothing, "main", OnLoss::proceed, [] { return Node::map(); },
     profile_conditions,
     [](const Node&, const std::string&, const ExtensionContext& context) {
       return spawn_profile(context.system, context.cast.trainers[context.worker],
                            context.cast.logger);
     }},
    deciding_kind<TrackTheBestOptions>("track_the_best", track_the_best_conditions,
                                       spawn_track_the_best),
    deciding_kind<FinishIfNoImprovementOptions>("finish_if_no_improvement",
                                                finish_if_no_improvement_conditions,
                                                spawn_finish_if_no_improvement),
    deciding_kind<EarlyStoppingOptions>("early_stopping", early_stopping_conditions,
                                        spawn_early_stopping),
    logging_kind<PrintingOptions>("printing", printing_conditions, spawn_printing, "main"),
    logging_kind<ProgressBarOptions>("progress_bar", progress_bar_conditions, spawn_progress_bar,
                                     "main"),
  };
  return all;
}

const ExtensionKind& find_kind(const std::string& type, const std::string& source) {
  for (const auto& kind : kinds())
    if (kind.name == type)
      return kind;
  throw ConfigError(config::unknown_key(type, "extensions", source, extension_names()));
}

Node participation_defaults(const ExtensionKind& kind) {
  ParticipationOptions options;
  options.workers = kind.workers;
  options.on_end = kind.on_end;
  return config::encode(options);
}

bool is_trigger(const std::string& key) {
  const auto& names = trigger_names();
  return std::find(names.begin(), names.end(), key) != names.end();
}

/// A trigger's value: a switch, a whole number, seconds or a schedule's text.
Value trigger_value(const Node& node) {
  const auto& text = node.text();
  if (!node.is_scalar())
    return Value{std::string{}};
  if (text == "true" || text == "yes" || text == "on")
    return Value{true};
  if (text == "false" || text == "no" || text == "off" || text == "0")
    return Value{false};
  if (!text.empty() && text.find_first_not_of("0123456789") == std::string::npos
      && text.size() < 18)
    return Value{std::int64_t{std::stoll(text)}};
  char* end = nullptr;
  const auto number = std::strtod(text.c_str(), &end);
  if (!text.empty() && *end == '\0')
    return Value{number};
  return Value{text};
}

} // namespace

std::vector<std::string> extension_names() {
  std::vector<std::string> names;
  for (const auto& kind : kinds())
    names.push_back(kind.name);
  return names;
}

Node extension_defaults(const std::string& type, const std::string& source) {
  const auto& kind = find_kind(type, source);
  auto node = kind.defaults();
  const auto participation = participation_defaults(kind);
  for (const auto& entry : participation.entries())
    if (node.find(entry.key) == nullptr)
      node.put(entry.key, entry.value);
  return node;
}

Sentences read_extension(const std::string& name, const Node& section,
                         ConfiguredExtension& extension) {
  const auto path = "extensions." + name;
  const auto* type = section.find("type");
  extension.name = name;
  extension.type = type != nullptr ? type->text() : name;
  const ExtensionKind* kind = nullptr;
  try {
    kind = &find_kind(extension.type, type != nullptr ? type->source() : section.source());
  } catch (const ConfigError& e) {
    return e.sentences();
  }
  const auto options = kind->defaults();
  const auto participation = participation_defaults(*kind);
  auto known = options.keys();
  for (const auto& key : participation.keys())
    known.push_back(key);
  known.insert(known.end(), trigger_names().begin(), trigger_names().end());
  known.push_back("type");

  Sentences errors;
  auto own = Node::map(), common = participation;
  extension.conditions = kind->conditions();
  for (const auto& [key, value] : section.entries()) {
    if (options.find(key) != nullptr) {
      own.put(key, value); // an option of its own has precedence over a common one of the same name
      if (participation.find(key) != nullptr)
        common.put(key, value);
    } else if (participation.find(key) != nullptr) {
      common.put(key, value);
    } else if (is_trigger(key)) {
      try {
        extension.conditions.set_trigger(key, trigger_value(value));
      } catch (const std::invalid_argument& e) {
        errors.push_back(path + "." + key + " (" + value.source() + "): " + e.what());
      }
    } else if (key != "type") {
      errors.push_back(config::unknown_key(key, path, value.source(), known));
    }
  }
  extension.options = own;
  for (auto& error : config::decode(common, extension.participation, path))
    errors.push_back(std::move(error));
  if (extension.participation.workers != "main" && extension.participation.workers != "all")
    errors.push_back(path + ".workers is '" + extension.participation.workers
                     + "'; give main (worker 0) or all");
  return errors;
}

std::vector<std::string> participation_keys() {
  return config::encode(ParticipationOptions{}).keys();
}

SpawnedExtension spawn_extension(const ConfiguredExtension& extension,
                                 const ExtensionContext& context) {
  const auto& kind = find_kind(extension.type, "extension " + extension.name);
  const auto path = "extensions." + extension.name;
  const auto defaults = kind.defaults(); // kinds may have other defaults than their structs
  auto options = defaults;
  if (auto errors = config::merge(options, extension.options); !errors.empty())
    throw ConfigError(errors);
  SpawnedExtension spawned;
  spawned.name = extension.name;
  const auto every_batch = kind.needs_every_batch && kind.needs_every_batch(options);
  const auto conditions
    = every_batch ? with_every_batch(extension.conditions) : extension.conditions;
  spawned.gate = kind.gate || every_batch;
  spawned.actor = kind.spawn(options, path, context);
  const auto* whole = options.find("optimizer_state");
  if (whole == nullptr && options.find("sync") != nullptr)
    whole = options.find("sync")->find("optimizer_state");
  const auto shows = whole != nullptr && whole->text() == "true" ? Shows::optimizer : kind.shows;
  const auto& participation = extension.participation;
  const auto main_only = participation.workers == "main";
  if (spawned.gate)
    spawned.subscribe_gate = {extension.name,         conditions,
                              spawned.actor,          shows,
                              participation.deadline, participation.on_deadline,
                              participation.on_end,   main_only};
  else
    spawned.subscribe = {extension.name,       conditions,           spawned.actor, shows,
                         participation.window, participation.on_end, main_only};
  return spawned;
}

} // namespace troupe
