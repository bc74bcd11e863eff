#include "troupe/apps/extension_kinds.hpp"

#include "troupe/apps/config/decode.hpp"
#include "troupe/apps/log_stream.hpp"
#include "troupe/apps/run_files.hpp"
#include "troupe/extensions/best_model.hpp"
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
#include "troupe/extensions/samples.hpp"
#include "troupe/extensions/shared_params_auto_sync.hpp"
#include "troupe/extensions/shared_params_rate_limited.hpp"
#include "troupe/extensions/statistics.hpp"
#include "troupe/extensions/stop_after_time_elapsed.hpp"
#include "troupe/extensions/stream_monitoring.hpp"
#include "troupe/extensions/tensorboard.hpp"
#include "troupe/extensions/terminal_conditions.hpp"
#include "troupe/extensions/timestamp.hpp"
#include "troupe/extensions/timing.hpp"
#include "troupe/extensions/track_the_best.hpp"
#include "troupe/extensions/training_monitoring.hpp"

#include <caf/actor_cast.hpp>

#include <filesystem>

namespace troupe {

namespace {

using config::Node;

template <class Options>
Options extension_options(const Node& node, const std::string& path) {
  Options options;
  if (auto errors = config::decode(node, options, path); !errors.empty())
    throw ConfigError(errors);
  return options;
}

/// Options that a struct lists; whoever can be given some that cannot be has a `check` of them.
template <class Options>
KindOptions own_options(const Options& defaults = {}) {
  return {[defaults] { return config::encode(defaults); },
          [](const Node& node, const std::string& path) {
            [[maybe_unused]] const auto options = extension_options<Options>(node, path);
            if constexpr (requires { check(options); })
              check(options);
          }};
}

struct FinishAfterOptions {
  std::string reason = "finish_after asked for it";
  FIELDS(reason);
};

/// The rows that count of a run's own log, beside the file or in the folder.
void read_logged_rows(const std::string& path, const TakeLoggedRow& take) {
  const std::filesystem::path given{path};
  for (const auto& log :
       log_streams(std::filesystem::is_directory(given) ? given : given.parent_path()))
    log.each_row([&take](const LoggedRow& row) {
      take({row.row, row.epoch, row.seconds, row.records, ""});
    });
}

/// An observer of each worker's floats that needs its options, the layout and the logger.
template <class Options, class Spawn>
ExtensionKind looking_kind(std::string name, Shows shows, Conditions (*conditions)(), Spawn spawn) {
  return {std::move(name),
          false,
          shows,
          "main",
          OnLoss::proceed,
          own_options<Options>(),
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
          own_options<Options>(),
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

/// Needs the record, and writes the notification of its best rows.
template <class Options>
void place_behind_record(const Node& node, const std::string& path, OrderedExtension& place) {
  const auto options = extension_options<Options>(node, path);
  place.needs = {options.record};
  place.writes = {notification_of(options)};
}

void place_behind_notification(const Node& node, const std::string& path, OrderedExtension& place) {
  place.needs = {extension_options<FinishIfNoImprovementOptions>(node, path).notification};
}

/// Writes records that begin so; without a prefix the loss.
void place_as_writer(const std::string& prefix, OrderedExtension& place) {
  place.writes = {prefix.empty() ? "loss*" : prefix + "_*"};
}

/// The checkpoint that saves the best state, at the rows that early stopping notifies.
std::optional<ConfiguredExtension> best_checkpoint_of(const ConfiguredExtension& extension) {
  const auto options
    = extension_options<EarlyStoppingOptions>(extension.options, "extensions." + extension.name);
  if (options.save_to.empty())
    return {};
  ConfiguredExtension checkpoint;
  checkpoint.name = extension.name + ".best";
  checkpoint.type = "checkpoint";
  checkpoint.options
    = config::encode(CheckpointOptions{.path = options.save_to, .keep = 1, .resumable = false});
  for (auto condition : extension.conditions.all()) {
    condition.record = notification_of(options);
    checkpoint.conditions.add_condition(condition);
  }
  checkpoint.conditions.coalesce(extension.conditions.coalesced());
  return checkpoint;
}

/// Where an extension of this worker writes its files: two must not write the same one.
std::string files_of(const ExtensionContext& context) {
  return context.worker == 0 ? context.folder
                             : context.folder + "/worker-" + std::to_string(context.worker);
}

HolderFate fate_of_holder(const ExtensionContext& context) {
  return context.cast.holder ? HolderFate::saved_with_run : HolderFate::outlives_run;
}

/// Who does not say how much of the time syncs may take lets them have a quarter of it.
SharedParamsRateLimitedOptions limited_by_default() {
  SharedParamsRateLimitedOptions options;
  options.limit.maximum_rate = 0.25;
  return options;
}

/// What problem and model count of each batch.
std::vector<Statistic> own_statistics(const ExtensionContext& context) {
  auto own = statistics_of(*context.problem);
  for (auto& statistic : statistics_of(*context.model))
    own.push_back(std::move(statistic));
  return own;
}

/// The kind, with what it says of its place.
ExtensionKind placed(ExtensionKind kind, decltype(ExtensionKind::place) place,
                     decltype(ExtensionKind::companion) companion = {}) {
  kind.place = std::move(place);
  kind.companion = std::move(companion);
  return kind;
}

} // namespace

const std::vector<ExtensionKind>& extension_kinds() {
  static const std::vector<ExtensionKind> all{
    {"finish_after", true, Shows::nothing, "all", OnLoss::fail, own_options<FinishAfterOptions>(),
     [] { return Conditions{}; },
     [](const Node& node, const std::string& path, const ExtensionContext& context) {
       return spawn_finish_after(context.system,
                                 extension_options<FinishAfterOptions>(node, path).reason);
     }},
    {"shared_params_auto_sync", true, Shows::parameters, "all", OnLoss::fail,
     own_options<ParameterSyncOptions>(), shared_params_auto_sync_conditions,
     [](const Node& node, const std::string& path, const ExtensionContext& context) {
       return spawn_shared_params_auto_sync(
         context.system, extension_options<ParameterSyncOptions>(node, path),
         context.cast.holders[context.worker], context.layout, fate_of_holder(context));
     }},
    {"shared_params_rate_limited", true, Shows::parameters, "all", OnLoss::fail,
     own_options(limited_by_default()), shared_params_rate_limited_conditions,
     [](const Node& node, const std::string& path, const ExtensionContext& context) {
       return spawn_shared_params_rate_limited(
         context.system, extension_options<SharedParamsRateLimitedOptions>(node, path),
         context.cast.holders[context.worker], context.layout, context.cast.logger,
         fate_of_holder(context));
     }},
    {"stop_after_time_elapsed", true, Shows::nothing, "all", OnLoss::fail,
     own_options<StopAfterTimeElapsedOptions>(), stop_after_time_elapsed_conditions,
     [](const Node& node, const std::string& path, const ExtensionContext& context) {
       return spawn_stop_after_time_elapsed(
         context.system, extension_options<StopAfterTimeElapsedOptions>(node, path),
         context.cast.trainers[context.worker], context.main_only ? Timer{} : context.cast.timer);
     },
     [](const Node&, const ExtensionContext& context) {
       return context.main_only || context.under_way;
     }},
    placed(
      ExtensionKind{"parameter_modifier", true, Shows::nothing, "all", OnLoss::fail,
                    own_options<ParameterModifierOptions>(), parameter_modifier_conditions,
                    [](const Node& node, const std::string& path, const ExtensionContext& context) {
                      return spawn_parameter_modifier(
                        context.system, extension_options<ParameterModifierOptions>(node, path),
                        context.cast.logger);
                    }},
      [](const Node& node, const std::string& path, OrderedExtension& place) {
        const auto schedule = extension_options<ParameterModifierOptions>(node, path).schedule;
        if (schedule.name == ValueCurve::plateau)
          place.needs = {schedule.record};
      }),
    {"nan_guard", true, Shows::optimizer, "all", OnLoss::fail, own_options<NanGuardOptions>(),
     nan_guard_conditions,
     [](const Node& node, const std::string& path, const ExtensionContext& context) {
       return spawn_nan_guard(context.system, extension_options<NanGuardOptions>(node, path),
                              context.cast.logger);
     }},
    looking_kind<NormsOptions>("norms", Shows::step, norms_conditions, spawn_norms),
    looking_kind<HistogramsOptions>("histograms", Shows::gradients, histograms_conditions,
                                    spawn_histograms),
    placed(
      ExtensionKind{"training_monitoring", false, Shows::nothing, "all", OnLoss::proceed,
                    own_options<TrainingMonitoringOptions>(), training_monitoring_conditions,
                    [](const Node& node, const std::string& path, const ExtensionContext& context) {
                      return spawn_training_monitoring(
                        context.system, extension_options<TrainingMonitoringOptions>(node, path),
                        context.cast.logger);
                    },
                    [](const Node& node, const ExtensionContext&) {
                      LossAggregation aggregation{};
                      const auto* option = node.find("aggregation");
                      return option != nullptr && from_text(option->text(), aggregation)
                             && loss_quantity(aggregation) != nullptr;
                    }},
      [](const Node& node, const std::string& path, OrderedExtension& place) {
        place_as_writer(extension_options<TrainingMonitoringOptions>(node, path).prefix, place);
      }),
    logging_kind<TimingOptions>("timing", timing_conditions, spawn_timing, "all"),
    {"timestamp", false, Shows::nothing, "all", OnLoss::proceed, own_options<TimestampOptions>(),
     timestamp_conditions,
     [](const Node& node, const std::string& path, const ExtensionContext& context) {
       return spawn_timestamp(context.system, extension_options<TimestampOptions>(node, path),
                              context.cast.logger);
     }},
    placed(
      ExtensionKind{"stream_monitoring", true, Shows::parameters, "main", OnLoss::proceed,
                    own_options<StreamMonitoringOptions>(), stream_monitoring_conditions,
                    [](const Node& node, const std::string& path, const ExtensionContext& context) {
                      return spawn_stream_monitoring(
                        context.system, extension_options<StreamMonitoringOptions>(node, path),
                        context.cast.evaluator, context.cast.logger);
                    }},
      [](const Node& node, const std::string& path, OrderedExtension& place) {
        const auto options = extension_options<StreamMonitoringOptions>(node, path);
        place_as_writer(options.prefix.empty() ? options.section : options.prefix, place);
      }),
    placed(
      ExtensionKind{"load", true, Shows::parameters, "all", OnLoss::fail,
                    own_options<LoadOptions>(), load_conditions,
                    [](const Node& node, const std::string& path, const ExtensionContext& context) {
                      return spawn_load(context.system, extension_options<LoadOptions>(node, path),
                                        context.layout, context.cast.logger,
                                        context.cast.trainers[context.worker], read_logged_rows,
                                        checkpoints_of);
                    }},
      [](const Node&, const std::string&, OrderedExtension& place) { place.first = true; }),
    placed(
      ExtensionKind{"checkpoint", true, Shows::nothing, "main", OnLoss::proceed,
                    own_options<CheckpointOptions>(), checkpoint_conditions,
                    [](const Node& node, const std::string& path, const ExtensionContext& context) {
                      return caf::actor_cast<Extension>(spawn_checkpoint(
                        context.system, extension_options<CheckpointOptions>(node, path),
                        {context.cast.trainers, context.cast.holder, context.cast.logger,
                         context.writer, context.folder, context.log, context.cast.standstill,
                         context.cast.stopper}));
                    }},
      [](const Node&, const std::string&, OrderedExtension& place) { place.last = true; }),
    {"statistics", true, Shows::nothing, "main", OnLoss::proceed, own_options<StatisticsOptions>(),
     statistics_conditions,
     [](const Node& node, const std::string& path, const ExtensionContext& context) {
       return spawn_statistics(context.system, extension_options<StatisticsOptions>(node, path),
                               own_statistics(context), files_of(context), context.cast.logger);
     },
     [](const Node&, const ExtensionContext&) { return true; }},
    {"tensorboard", false, Shows::gradients, "main", OnLoss::proceed,
     own_options<TensorboardOptions>(), tensorboard_conditions,
     [](const Node& node, const std::string& path, const ExtensionContext& context) {
       return spawn_tensorboard(context.system, extension_options<TensorboardOptions>(node, path),
                                context.layout, files_of(context), context.cast.logger);
     }},
    {"samples", false, Shows::parameters, "main", OnLoss::proceed, own_options<SamplesOptions>(),
     samples_conditions,
     [](const Node& node, const std::string& path, const ExtensionContext& context) {
       return spawn_samples(context.system, extension_options<SamplesOptions>(node, path),
                            context.problem, std::shared_ptr<Model>{context.model->clone()},
                            files_of(context), context.cast.logger);
     }},
    {"profile",
     false,
     Shows::nothing,
     "main",
     OnLoss::proceed,
     {[] { return Node::map(); }, [](const Node&, const std::string&) {}},
     profile_conditions,
     [](const Node&, const std::string&, const ExtensionContext& context) {
       return spawn_profile(context.system, context.cast.trainers[context.worker],
                            context.cast.logger);
     }},
    placed(deciding_kind<TrackTheBestOptions>("track_the_best", track_the_best_conditions,
                                              spawn_track_the_best),
           place_behind_record<TrackTheBestOptions>),
    placed(deciding_kind<FinishIfNoImprovementOptions>("finish_if_no_improvement",
                                                       finish_if_no_improvement_conditions,
                                                       spawn_finish_if_no_improvement),
           place_behind_notification),
    placed(deciding_kind<EarlyStoppingOptions>("early_stopping", early_stopping_conditions,
                                               spawn_early_stopping),
           place_behind_record<EarlyStoppingOptions>, best_checkpoint_of),
    placed(deciding_kind<TerminalConditionsOptions>(
             "terminal_conditions", terminal_conditions_conditions, spawn_terminal_conditions),
           [](const Node& node, const std::string& path, OrderedExtension& place) {
             place.needs = {extension_options<TerminalConditionsOptions>(node, path).record};
             place.writes = {training_status};
           }),
    placed(
      ExtensionKind{"best_model", true, Shows::nothing, "main", OnLoss::proceed,
                    own_options<BestModelOptions>(), best_model_conditions,
                    [](const Node& node, const std::string& path, const ExtensionContext& context) {
                      return spawn_best_model(
                        context.system, extension_options<BestModelOptions>(node, path),
                        {context.cast.trainers[context.worker], context.cast.logger, context.writer,
                         context.folder});
                    }},
      [](const Node& node, const std::string& path, OrderedExtension& place) {
        place.needs = {extension_options<BestModelOptions>(node, path).record, training_status};
      }),
    placed(
      logging_kind<PrintingOptions>("printing", printing_conditions, spawn_printing, "main"),
      [](const Node&, const std::string&, OrderedExtension& place) { place.reads_row = true; }),
    logging_kind<ProgressBarOptions>("progress_bar", progress_bar_conditions, spawn_progress_bar,
                                     "main"),
  };
  return all;
}

} // namespace troupe
