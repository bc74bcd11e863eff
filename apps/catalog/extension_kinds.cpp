#include "apps/catalog/extension_kinds.hpp"

#include "apps/catalog/extension_kind_makers.hpp"
#include "apps/folder/run_files.hpp"
#include "extensions/display/printing.hpp"
#include "extensions/display/progress_bar.hpp"
#include "extensions/monitoring/histograms.hpp"
#include "extensions/monitoring/norms.hpp"
#include "extensions/monitoring/profile.hpp"
#include "extensions/monitoring/samples.hpp"
#include "extensions/monitoring/statistics.hpp"
#include "extensions/monitoring/stream_monitoring.hpp"
#include "extensions/monitoring/tensorboard.hpp"
#include "extensions/monitoring/timestamp.hpp"
#include "extensions/monitoring/timing.hpp"
#include "extensions/monitoring/training_monitoring.hpp"
#include "extensions/saving/best_model.hpp"
#include "extensions/saving/checkpoint.hpp"
#include "extensions/saving/load.hpp"
#include "extensions/steering/parameter_modifier.hpp"
#include "extensions/stopping/early_stopping.hpp"
#include "extensions/stopping/finish_after.hpp"
#include "extensions/stopping/finish_if_no_improvement.hpp"
#include "extensions/stopping/nan_guard.hpp"
#include "extensions/stopping/stop_after_time_elapsed.hpp"
#include "extensions/stopping/terminal_conditions.hpp"
#include "extensions/stopping/track_the_best.hpp"
#include "extensions/sync/shared_params_auto_sync.hpp"
#include "extensions/sync/shared_params_rate_limited.hpp"

#include <caf/actor_cast.hpp>

namespace troupe {

const std::vector<ExtensionKind>& extension_kinds() {
  using namespace kinds;
  static const std::vector<ExtensionKind> all{
    placed(
      ExtensionKind{"finish_after", true, Shows::nothing, "all", OnLoss::fail,
                    own_options<FinishAfterOptions>(), [] { return Conditions{}; },
                    [](const Node& node, const std::string& path, const ExtensionContext& context) {
                      return spawn_finish_after(
                        context.system, extension_options<FinishAfterOptions>(node, path).reason);
                    }},
      place_with({finish_requested})),
    placed(
      ExtensionKind{"shared_params_auto_sync", true, Shows::parameters, "all", OnLoss::fail,
                    own_options<ParameterSyncOptions>(), shared_params_auto_sync_conditions,
                    [](const Node& node, const std::string& path, const ExtensionContext& context) {
                      return spawn_shared_params_auto_sync(
                        context.system, extension_options<ParameterSyncOptions>(node, path),
                        context.cast.holders[context.worker], context.layout,
                        fate_of_holder(context));
                    }},
      place_with({"param_sync_*"})),
    placed(
      ExtensionKind{"shared_params_rate_limited", true, Shows::parameters, "all", OnLoss::fail,
                    own_options(limited_by_default()), shared_params_rate_limited_conditions,
                    [](const Node& node, const std::string& path, const ExtensionContext& context) {
                      return spawn_shared_params_rate_limited(
                        context.system,
                        extension_options<SharedParamsRateLimitedOptions>(node, path),
                        context.cast.holders[context.worker], context.layout, context.cast.logger,
                        fate_of_holder(context));
                    }},
      place_with({"param_syncs", "param_sync_*"})),
    placed(
      ExtensionKind{"stop_after_time_elapsed", true, Shows::nothing, "all", OnLoss::fail,
                    own_options<StopAfterTimeElapsedOptions>(), stop_after_time_elapsed_conditions,
                    [](const Node& node, const std::string& path, const ExtensionContext& context) {
                      return spawn_stop_after_time_elapsed(
                        context.system, extension_options<StopAfterTimeElapsedOptions>(node, path),
                        context.cast.trainers[context.worker],
                        context.main_only ? Timer{} : context.cast.timer);
                    },
                    [](const Node&, const ExtensionContext& context) {
                      return context.main_only || context.in_flight;
                    }},
      place_with({finish_requested})),
    placed(
      ExtensionKind{"parameter_modifier", true, Shows::nothing, "all", OnLoss::fail,
                    own_options<ParameterModifierOptions>(), parameter_modifier_conditions,
                    [](const Node& node, const std::string& path, const ExtensionContext& context) {
                      return spawn_parameter_modifier(
                        context.system, extension_options<ParameterModifierOptions>(node, path),
                        context.cast.logger, context.in_flight);
                    }},
      [](const Node& node, const std::string& path, OrderedExtension& place) {
        const auto options = extension_options<ParameterModifierOptions>(node, path);
        if (options.schedule.name == ValueCurve::plateau)
          place.needs = {options.schedule.record};
        if (options.record)
          place.writes = {options.setting};
      }),
    placed(
      ExtensionKind{"nan_guard", true, Shows::optimizer, "all", OnLoss::fail,
                    own_options<NanGuardOptions>(), nan_guard_conditions,
                    [](const Node& node, const std::string& path, const ExtensionContext& context) {
                      return spawn_nan_guard(context.system,
                                             extension_options<NanGuardOptions>(node, path),
                                             context.cast.logger);
                    }},
      place_with({"nan_guard_rewinds", finish_requested})),
    placed(looking_kind<NormsOptions>("norms", Shows::step, norms_conditions, spawn_norms),
           place_with_prefixed<NormsOptions>(
             {"parameter_norm", "gradient_norm", "update_ratio", "norm_*", "gradient_norm_*"})),
    placed(looking_kind<HistogramsOptions>("histograms", Shows::gradients, histograms_conditions,
                                           spawn_histograms),
           [](const Node& node, const std::string& path, OrderedExtension& place) {
             const auto prefix = extension_options<HistogramsOptions>(node, path).prefix;
             if (!prefix.empty()) // else they are named like the parameters, unknown here
               place.writes = {prefix + "_*"};
           }),
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
        place.writes.emplace_back("learning_rate");
      }),
    placed(logging_kind<TimingOptions>("timing", timing_conditions, spawn_timing, "all"),
           [](const Node& node, const std::string& path, OrderedExtension& place) {
             const auto prefix = extension_options<TimingOptions>(node, path).prefix;
             place.writes = {"time_initialization", prefix.empty() ? "time_*" : prefix + "_time_*"};
           }),
    placed(
      ExtensionKind{"timestamp", false, Shows::nothing, "all", OnLoss::proceed,
                    own_options<TimestampOptions>(), timestamp_conditions,
                    [](const Node& node, const std::string& path, const ExtensionContext& context) {
                      return spawn_timestamp(context.system,
                                             extension_options<TimestampOptions>(node, path),
                                             context.cast.logger);
                    }},
      [](const Node& node, const std::string& path, OrderedExtension& place) {
        const auto options = extension_options<TimestampOptions>(node, path);
        place.writes = {"datestamp"};
        if (options.legion_records)
          place.writes.emplace_back("timestamp");
        else
          place.writes.insert(place.writes.end(), {options.record, "unix_time"});
      }),
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
      [](const Node&, const std::string&, OrderedExtension& place) {
        place.first = true;
        place.writes = {"loaded_from"};
      }),
    placed(
      ExtensionKind{"checkpoint", true, Shows::nothing, "main", OnLoss::proceed,
                    own_options<CheckpointOptions>(), checkpoint_conditions,
                    [](const Node& node, const std::string& path, const ExtensionContext& context) {
                      return caf::actor_cast<Extension>(spawn_checkpoint(
                        context.system, extension_options<CheckpointOptions>(node, path),
                        {context.cast.trainers, context.cast.holder, context.cast.logger,
                         context.writer, context.folder, context.log, context.cast.quiescence,
                         context.cast.stopper}));
                    }},
      [](const Node&, const std::string&, OrderedExtension& place) {
        place.last = true;
        place.writes = {"saved_to", "_checkpoint_seconds"};
      }),
    placed(
      ExtensionKind{"statistics", true, Shows::nothing, "main", OnLoss::proceed,
                    own_options<StatisticsOptions>(), statistics_conditions,
                    [](const Node& node, const std::string& path, const ExtensionContext& context) {
                      return spawn_statistics(
                        context.system, extension_options<StatisticsOptions>(node, path),
                        own_statistics(context), files_of(context), context.cast.logger);
                    },
                    [](const Node&, const ExtensionContext&) { return true; }},
      place_with({"training_*"})),
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
           place_early_stopping, best_checkpoint_of),
    placed(deciding_kind<TerminalConditionsOptions>(
             "terminal_conditions", terminal_conditions_conditions, spawn_terminal_conditions),
           [](const Node& node, const std::string& path, OrderedExtension& place) {
             place.needs = {extension_options<TerminalConditionsOptions>(node, path).record};
             place.writes = {training_status, finish_requested};
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
        place.needs = {extension_options<BestModelOptions>(node, path).record};
        place.uses = {training_status};
        place.writes = {"model_saved_to"};
      }),
    placed(
      extra_kind(
        logging_kind<PrintingOptions>("printing", printing_conditions, spawn_printing, "main")),
      [](const Node&, const std::string&, OrderedExtension& place) { place.reads_row = true; }),
    logging_kind<ProgressBarOptions>("progress_bar", progress_bar_conditions, spawn_progress_bar,
                                     "main"),
  };
  return all;
}

} // namespace troupe
