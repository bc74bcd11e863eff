// What the kinds of extensions in extension_kinds.cpp are put together from.
#pragma once

#include "apps/catalog/extension_kinds.hpp"
#include "apps/folder/log_stream.hpp"
#include "base/config/decode.hpp"
#include "base/exit_codes.hpp"
#include "extensions/saving/checkpoint.hpp"
#include "extensions/saving/load.hpp"
#include "extensions/stopping/early_stopping.hpp"
#include "extensions/stopping/finish_if_no_improvement.hpp"
#include "extensions/sync/shared_params_rate_limited.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace troupe::kinds {

using config::Node;

template <class Options>
Options extension_options(const Node& node, const std::string& path) {
  Options options;
  if (auto errors = config::decode(node, options, path); !errors.empty())
    throw ConfigError(errors);
  return options;
}

/// Options listed by a struct; if some values are invalid, there is a `check` of them.
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

/// The valid rows of a run's own log, beside the file or in the folder.
inline void read_logged_rows(const std::string& path, const TakeLoggedRow& take) {
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

/// The same, for a gate that training depends on.
template <class Options, class Spawn>
ExtensionKind deciding_kind(std::string name, Conditions (*conditions)(), Spawn spawn) {
  auto kind = logging_kind<Options>(std::move(name), conditions, spawn, "main");
  kind.gate = true;
  kind.on_end = OnLoss::fail;
  return kind;
}

/// The record that the trainer writes for a gate that ends training.
inline constexpr const char* finish_requested = "training_finish_requested";

/// Needs the record, and writes the notification of its best rows.
template <class Options>
void place_behind_record(const Node& node, const std::string& path, OrderedExtension& place) {
  const auto options = extension_options<Options>(node, path);
  place.needs = {options.record};
  place.writes = {notification_of(options)};
}

/// For extensions that end training without improvement; whether it counts epochs or batches is
/// checked elsewhere.
inline void place_as_patient(const std::string& record, const std::string& notification,
                             OrderedExtension& place) {
  place.writes.push_back(record.empty() ? notification + "_patience_*" : record);
  place.writes.emplace_back(finish_requested);
}

inline void place_behind_notification(const Node& node, const std::string& path,
                                      OrderedExtension& place) {
  const auto options = extension_options<FinishIfNoImprovementOptions>(node, path);
  place.needs = {options.notification};
  place_as_patient(options.patience_record, options.notification, place);
}

inline void place_early_stopping(const Node& node, const std::string& path,
                                 OrderedExtension& place) {
  place_behind_record<EarlyStoppingOptions>(node, path, place);
  const auto options = extension_options<EarlyStoppingOptions>(node, path);
  place_as_patient(options.patience_record, notification_of(options), place);
}

/// Always writes the same records.
inline auto place_with(std::vector<std::string> records) {
  return [records = std::move(records)](const Node&, const std::string&, OrderedExtension& place) {
    place.writes = records;
  };
}

/// Writes these records, with the prefix of its options.
template <class Options>
auto place_with_prefixed(std::vector<std::string> records) {
  return [records = std::move(records)](const Node& node, const std::string& path,
                                        OrderedExtension& place) {
    const auto prefix = extension_options<Options>(node, path).prefix;
    for (const auto& record : records)
      place.writes.push_back(prefix.empty() ? record : prefix + "_" + record);
  };
}

/// Writes records with this prefix; without a prefix, the loss.
inline void place_as_writer(const std::string& prefix, OrderedExtension& place) {
  place.writes = {prefix.empty() ? "loss*" : prefix + "_*"};
}

/// The checkpoint that saves the best state, at the rows that early stopping notifies.
inline std::optional<ConfiguredExtension> best_checkpoint_of(const ConfiguredExtension& extension) {
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

/// The folder for an extension's files, one per worker so that files do not clash.
inline std::string files_of(const ExtensionContext& context) {
  return context.worker == 0 ? context.folder
                             : context.folder + "/worker-" + std::to_string(context.worker);
}

inline HolderFate fate_of_holder(const ExtensionContext& context) {
  return context.cast.holder ? HolderFate::saved_with_run : HolderFate::outlives_run;
}

/// By default syncs may take a quarter of the time.
inline SharedParamsRateLimitedOptions limited_by_default() {
  SharedParamsRateLimitedOptions options;
  options.limit.maximum_rate = 0.25;
  return options;
}

/// The statistics of problem and model for each batch.
inline std::vector<Statistic> own_statistics(const ExtensionContext& context) {
  auto own = statistics_of(*context.problem);
  for (auto& statistic : statistics_of(*context.model))
    own.push_back(std::move(statistic));
  return own;
}

/// The kind, of which a second extension acts only at its own moments.
inline ExtensionKind extra_kind(ExtensionKind kind) {
  kind.another_is_extra = true;
  return kind;
}

/// The kind, with its position and companion.
inline ExtensionKind placed(ExtensionKind kind, decltype(ExtensionKind::place) place,
                            decltype(ExtensionKind::companion) companion = {}) {
  kind.place = std::move(place);
  kind.companion = std::move(companion);
  return kind;
}

} // namespace troupe::kinds
