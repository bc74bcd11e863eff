#include "apps/run_config/extension_checks.hpp"

#include "apps/catalog/components.hpp"
#include "base/config/decode.hpp"
#include "base/text/text.hpp"
#include "extensions/monitoring/stream_monitoring.hpp"
#include "extensions/monitoring/training_monitoring.hpp"
#include "extensions/steering/hyperparameter_scheduler.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

namespace troupe {

namespace {

std::vector<std::string> optimizer_settings(const config::Node& optimizer) {
  std::vector<std::string> names;
  try {
    for (const auto& [name, value] : make_optimizer_factory(optimizer)(1)->settings())
      names.push_back(name);
  } catch (const std::exception&) { // reported when the optimizer is made
  }
  return names;
}

void check_modifier(const ConfiguredExtension& extension, const std::vector<std::string>& settings,
                    Sentences& errors) {
  const auto path = "extensions." + extension.name;
  HyperparameterSchedulerOptions options;
  if (!config::decode(extension.options, options, path).empty())
    return;
  if (!settings.empty()
      && std::find(settings.begin(), settings.end(), options.setting) == settings.end())
    errors.push_back(path + ".setting is '" + options.setting
                     + "', which the optimizer does not have; its settings are "
                     + joined(settings));
}

template <class Options>
Options decoded(const ConfiguredExtension& extension) {
  Options options;
  config::decode(extension.options, options, ""); // errors are reported when they are read
  return options;
}

/// The name of the loss record that a monitor writes, which shows how all its records are named; ""
/// for other extensions.
std::string monitored_loss(const ConfiguredExtension& extension) {
  const auto name = [](const std::string& prefix, const std::string& suffix) {
    return (prefix.empty() ? "" : prefix + "_") + "loss" + (suffix.empty() ? "" : "_" + suffix);
  };
  if (extension.type == "training_monitoring") {
    const auto options = decoded<TrainingMonitoringOptions>(extension);
    return name(options.prefix, options.suffix);
  }
  if (extension.type == "stream_monitoring") {
    const auto options = decoded<StreamMonitoringOptions>(extension);
    return name(options.prefix.empty() ? options.section : options.prefix, options.suffix);
  }
  return "";
}

/// Two monitors with equal record names would overwrite each other's records.
void check_monitors(const std::vector<ConfiguredExtension>& extensions, Sentences& errors) {
  std::map<std::string, std::string> monitors; // by the name of their loss record
  for (const auto& extension : extensions) {
    const auto loss = monitored_loss(extension);
    if (loss.empty())
      continue;
    if (const auto [first, fresh] = monitors.emplace(loss, extension.name); !fresh)
      errors.push_back("extensions '" + first->second + "' and '" + extension.name
                       + "' both write '" + loss
                       + "' and related records, overwriting each other; give one a suffix, like "
                         "extensions."
                       + extension.name + ".suffix=" + extension.name);
  }
}

} // namespace

void check_extensions(const RunConfig& config, Sentences& errors) {
  const auto* optimizer = config.tree.find("optimizer");
  const auto settings
    = optimizer != nullptr ? optimizer_settings(*optimizer) : std::vector<std::string>{};
  for (const auto& extension : config.extensions) {
    if (extension.type == "hyperparameter_scheduler")
      check_modifier(extension, settings, errors);
    const auto* limit = extension.options.find("total_duration");
    if (extension.type == "stop_after_time_elapsed"
        && (limit == nullptr || limit->source() == config::default_source))
      errors.push_back("extensions." + extension.name
                       + " has no total_duration; give a time, like 12h");
  }
}

void check_together(std::vector<ConfiguredExtension> wanted) {
  add_companions(wanted);
  Sentences errors;
  check_monitors(wanted, errors);
  std::set<std::string> names;
  for (const auto& extension : wanted)
    if (!names.insert(extension.name).second)
      errors.push_back("two extensions are called '" + extension.name
                       + "', one of which the run adds itself; give yours another name, "
                         "and its kind as `type`");
  try {
    configured_order(wanted);
  } catch (const ConfigError& e) {
    errors.insert(errors.end(), e.sentences().begin(), e.sentences().end());
  }
  if (!errors.empty())
    throw ConfigError(errors);
}

} // namespace troupe
