#include "troupe/apps/extension_checks.hpp"

#include "troupe/apps/components.hpp"
#include "troupe/apps/config/decode.hpp"
#include "troupe/extensions/parameter_modifier.hpp"
#include "troupe/messages/text.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace troupe {

namespace {

std::vector<std::string> optimizer_settings(const config::Node& optimizer) {
  std::vector<std::string> names;
  try {
    for (const auto& [name, value] : make_optimizer_factory(optimizer)(1)->settings())
      names.push_back(name);
  } catch (const std::exception&) { // whoever makes the optimizer says what is wrong with it
  }
  return names;
}

void check_modifier(const ConfiguredExtension& extension, const std::vector<std::string>& settings,
                    Sentences& errors) {
  const auto path = "extensions." + extension.name;
  ParameterModifierOptions options;
  if (!config::decode(extension.options, options, path).empty())
    return;
  if (!settings.empty()
      && std::find(settings.begin(), settings.end(), options.setting) == settings.end())
    errors.push_back(path + ".setting is '" + options.setting
                     + "', which the optimizer does not have; its settings are "
                     + joined(settings));
}

} // namespace

void check_extensions(const RunConfig& config, Sentences& errors) {
  const auto* optimizer = config.tree.find("optimizer");
  const auto settings
    = optimizer != nullptr ? optimizer_settings(*optimizer) : std::vector<std::string>{};
  for (const auto& extension : config.extensions) {
    if (extension.type == "parameter_modifier")
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
  std::set<std::string> names;
  for (const auto& extension : wanted)
    if (!names.insert(extension.name).second)
      errors.push_back("two extensions are called '" + extension.name
                       + "', one of which the run brings along itself; give yours another name, "
                         "and its kind as `type`");
  try {
    extension_order(wanted);
  } catch (const ConfigError& e) {
    errors.insert(errors.end(), e.sentences().begin(), e.sentences().end());
  }
  if (!errors.empty())
    throw ConfigError(errors);
}

} // namespace troupe
