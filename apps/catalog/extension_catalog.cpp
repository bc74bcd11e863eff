#include "apps/catalog/extension_catalog.hpp"

#include "apps/catalog/extension_conditions.hpp"
#include "apps/config/tree.hpp"
#include "base/config/decode.hpp"
#include "base/config/unknown_key.hpp"
#include "base/text/number_in.hpp"
#include "extensions/support/every_batch.hpp"
#include "extensions/support/extension_kind.hpp"

#include <algorithm>
#include <functional>

namespace troupe {

namespace {

using config::Node;

constexpr double time_to_answer = 60; // seconds for a gate beyond its own deadline

const ExtensionKind& find_kind(const std::string& type, const std::string& source) {
  if (const auto* kind = extension_kinds().find(type))
    return *kind;
  throw ConfigError(config::unknown_key(type, "extensions", source, extension_names()));
}

const ExtensionKind& own_kind(const ConfiguredExtension& extension) {
  return find_kind(extension.type, "extension " + extension.name);
}

Node participation_defaults(const ExtensionKind& kind) {
  ParticipationOptions options;
  options.workers = kind.workers;
  options.on_end = kind.on_end;
  options.deadline = kind.deadline;
  return config::encode(options);
}

/// Its own options over the defaults of its kind, which may differ from those of the structs.
/// @throws ConfigError
Node whole_options(const ExtensionKind& kind, const ConfiguredExtension& extension) {
  auto options = kind.defaults();
  if (auto errors = config::merge(options, extension.options); !errors.empty())
    throw ConfigError(errors);
  return options;
}

/// What spawning would refuse later, when a folder exists already.
Sentences option_defects(const ExtensionKind& kind, const ConfiguredExtension& extension,
                         const std::string& path) {
  try {
    kind.check(whole_options(kind, extension), path);
  } catch (const ConfigError& e) {
    return e.sentences();
  } catch (const std::invalid_argument& e) {
    return {path + ": " + e.what()};
  }
  return {};
}

bool is_condition(const std::string& key) {
  const auto& keys = condition_keys();
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

void check_participation(const ConfiguredExtension& extension, const std::string& path,
                         Sentences& errors) {
  const auto& [workers, deadline, on_deadline, on_end, window, after, coalesce]
    = extension.participation;
  if (workers != "main" && workers != "all")
    errors.push_back(path + ".workers is '" + workers + "'; give main (worker 0) or all");
  if (!(deadline > 0))
    errors.push_back(path + ".deadline is " + std::to_string(deadline)
                     + " s; give a time greater than 0, or inf for none");
  if (window < 1)
    errors.push_back(path + ".window is 0; give at least 1 copy, like 16");
  if (std::find(after.begin(), after.end(), extension.name) != after.end())
    errors.push_back(path + ".after names '" + extension.name
                     + "' itself; give extensions that are asked before it");
}

/// Options of gates have no effect on an observer, and vice versa. At their defaults they are
/// accepted, since a run's written configuration has all options.
void check_connection(const ExtensionKind& kind, const ConfiguredExtension& extension,
                      const std::string& path, Sentences& errors) {
  const auto usual = config::encode(ParticipationOptions{});
  const auto given = config::encode(extension.participation);
  const auto waits_itself = kind.defaults().find("deadline") != nullptr;
  const auto refuse = [&](const std::string& option, const std::string& why) {
    if (given.find(option)->text() != usual.find(option)->text())
      errors.push_back(path + "." + option + " is " + given.find(option)->text() + ", but " + why);
  };
  if (kind.gate)
    return refuse("window", extension.type
                              + " is a gate, which sees everything; the window is for observers");
  if (kind.needs_every_batch)
    return; // with some options it is a gate
  const auto why
    = extension.type
      + " is an observer, and training never waits for observers; the option is for gates";
  refuse("on_deadline", why);
  if (!waits_itself)
    refuse("deadline", why);
}

} // namespace

std::vector<std::string> extension_names() { return extension_kinds().names(); }

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
    if (std::find(known.begin(), known.end(), key) == known.end())
      known.push_back(key);
  known.insert(known.end(), condition_keys().begin(), condition_keys().end());
  known.push_back("type");

  Sentences errors;
  auto common = participation;
  const auto names_moments = std::any_of(section.entries().begin(), section.entries().end(),
                                         [](const auto& entry) { return is_condition(entry.key); });
  if (!(kind->prints_rows && name != kind->name && names_moments))
    extension.conditions = kind->conditions();
  for (const auto& [key, value] : section.entries()) {
    if (options.find(key) != nullptr) {
      if (participation.find(key) != nullptr) // its own option takes precedence
        common.put(key, value);
    } else if (participation.find(key) != nullptr) {
      common.put(key, value);
    } else if (is_condition(key)) {
      for (auto& error : read_condition(key, value, path, extension.conditions))
        errors.push_back(std::move(error));
    } else if (key != "type") {
      errors.push_back(config::unknown_key(key, path, value.source(), known));
    }
  }
  extension.options = own_options(*kind, section);
  for (auto& error : config::decode(common, extension.participation, path))
    errors.push_back(std::move(error));
  extension.conditions.coalesce(extension.participation.coalesce);
  check_participation(extension, path, errors);
  check_connection(*kind, extension, path, errors);
  for (auto& defect : option_defects(*kind, extension, path))
    errors.push_back(std::move(defect));
  return errors;
}

bool wants_statistics(const ConfiguredExtension& extension) {
  const auto* kind = extension_kinds().find(extension.type);
  return kind != nullptr && kind->counts_statistics;
}

bool shares_parameters(const std::string& type) { return has_hook(type, &RunHooks<>::shares); }

std::vector<std::string> sharing_extension_names() {
  auto names = extension_names();
  std::erase_if(names, std::not_fn(shares_parameters));
  return names;
}

bool prints_all_rows(const ConfiguredExtension& extension) {
  const auto* kind = extension_kinds().find(extension.type);
  return kind != nullptr && kind->prints_rows && extension.name == kind->name;
}

bool shows_progress(const ConfiguredExtension& extension) {
  const auto* kind = extension_kinds().find(extension.type);
  return kind != nullptr && kind->shows_progress;
}

void leave_out_recorders(std::vector<ConfiguredExtension>& extensions) {
  std::erase_if(extensions, [](const auto& extension) {
    return has_hook(extension.type, &RunHooks<>::saves_run);
  });
  const auto needs_records = [](const auto& extension) {
    const auto place = place_of(extension);
    return !place.needs.empty() || !place.uses.empty();
  };
  if (std::none_of(extensions.begin(), extensions.end(), needs_records))
    std::erase_if(extensions,
                  [](const auto& extension) { return own_kind(extension).only_records; });
}

void use_log_interval(ConfiguredExtension& extension, Step every) {
  if (wants_statistics(extension))
    extension.conditions.set_trigger("every_n_batches", Value{static_cast<std::int64_t>(every)});
}

OrderedExtension place_of(const ConfiguredExtension& extension) {
  OrderedExtension place;
  place.name = extension.name;
  place.after = extension.participation.after;
  const auto& kind = own_kind(extension);
  kind.place(extension.options, "extensions." + extension.name, place);
  for (auto& record : awaited_records(extension.conditions))
    place.needs.push_back(std::move(record));
  return place;
}

void add_companions(std::vector<ConfiguredExtension>& extensions) {
  for (std::size_t i = 0, count = extensions.size(); i < count; ++i) {
    const auto& kind = own_kind(extensions[i]);
    if (auto companion = kind.companion ? kind.companion(extensions[i]) : std::nullopt)
      extensions.push_back(std::move(*companion));
  }
}

std::vector<std::size_t> configured_order(const std::vector<ConfiguredExtension>& extensions) {
  std::vector<OrderedExtension> places;
  for (const auto& extension : extensions)
    places.push_back(place_of(extension));
  try {
    return extension_order(places);
  } catch (const std::invalid_argument& e) {
    throw ConfigError(e.what());
  }
}

SpawnedExtension spawn_extension(const ConfiguredExtension& extension,
                                 const ExtensionContext& context) {
  auto own = context;
  own.main_only = extension.participation.workers == "main";
  const auto& kind = own_kind(extension);
  const auto path = "extensions." + extension.name;
  const auto options = whole_options(kind, extension);
  SpawnedExtension spawned;
  spawned.name = extension.name;
  const auto every_batch = kind.needs_every_batch && kind.needs_every_batch(options, path, own);
  const auto conditions
    = every_batch ? with_every_batch(extension.conditions) : extension.conditions;
  spawned.gate = kind.gate || every_batch;
  spawned.actor = kind.spawn(options, path, own);
  const auto shows = kind.shows(options, path);
  auto participation = extension.participation;
  // An extension's own `deadline` limits its own waiting, which it handles itself; the gate's
  // deadline comes later, and never if its kind has none, since other workers may take any time. An
  // explicit on_deadline of the section overrides this.
  if (const auto* waits = options.find("deadline");
      waits != nullptr && participation.on_deadline == OnLoss::fail)
    participation.deadline
      = kind.deadline == no_deadline
          ? no_deadline
          : number_in<double>(waits->text()).value_or(participation.deadline) + time_to_answer;
  if (spawned.gate)
    spawned.subscribe_gate = {extension.name,          conditions,
                              spawned.actor,           shows,
                              participation.deadline,  participation.on_deadline,
                              participation.on_end,    own.main_only,
                              place_of(extension).last};
  else
    spawned.subscribe = {extension.name,       conditions,           spawned.actor, shows,
                         participation.window, participation.on_end, own.main_only};
  return spawned;
}

} // namespace troupe
