#include "apps/catalog/component_list.hpp"

#include "actors/log/log_sink_kind.hpp"
#include "apps/config/print.hpp"
#include "base/failure.hpp"
#include "base/text/number_format.hpp"
#include "base/text/text.hpp"
#include "extensions/support/extension_kind.hpp"
#include "model/data/problem_kind.hpp"
#include "model/layers/layer_kind.hpp"
#include "model/losses/loss_kind.hpp"
#include "model/losses/metric_kind.hpp"
#include "model/optimizers/optimizer_kind.hpp"
#include "model/training/model_kind.hpp"
#include "model/update_rules/update_rule_kind.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>

namespace troupe {

namespace {

using config::Node;
using Json = nlohmann::ordered_json;

/// Adds a component for each kind of the registry. @param options of a kind, as a map
template <class Kind, class Options>
void list_kinds(const Registry<Kind>& kinds, const std::string& kind, Options options,
                std::vector<ListedComponent>& listed) {
  for (const auto& name : kinds.names())
    listed.push_back({kind, name, options(*kinds.find(name))});
}

Node no_listed_options() { return Node::map(); }

/// The names of all metrics: one kind may have several, and say for people that there are more.
std::vector<std::string> listed_metrics() {
  std::vector<std::string> names;
  for (const auto& name : metric_kinds().names()) {
    const auto* kind = metric_kinds().find(name);
    std::copy_if(kind->names.begin(), kind->names.end(), std::back_inserter(names), kind->measures);
  }
  return names;
}

Node setting_nodes(const RuleSettings& settings) {
  auto node = Node::map();
  for (const auto& [name, value] : settings)
    node.put(name, Node::scalar(fmt::format("{}", value)));
  return node;
}

std::string trigger_text(const Condition& condition) {
  const auto name = condition.trigger.empty() ? to_string(condition.callback) : condition.trigger;
  return condition.schedule == always() ? name : name + ": " + to_string(condition.schedule);
}

ListedExtension listed_extension(const ExtensionKind& kind) {
  ListedExtension listed{.gate = kind.gate, .workers = kind.workers, .deadline = kind.deadline};
  const auto conditions = kind.conditions();
  for (const auto& condition : conditions.all())
    listed.triggers.push_back(trigger_text(condition));
  OrderedExtension place{.name = kind.name};
  try {
    kind.place(kind.defaults(), kind.name, place);
  } catch (const ConfigError&) { // an option without a usable default decides
  } catch (const std::invalid_argument&) {
  }
  listed.writes = place.writes;
  listed.needs = place.needs;
  return listed;
}

Json json_of_node(const Node& node) {
  switch (node.kind()) {
  case Node::Kind::null: return nullptr;
  case Node::Kind::list: {
    auto list = Json::array();
    for (const auto& item : node.items())
      list.push_back(json_of_node(item));
    return list;
  }
  case Node::Kind::map: {
    auto map = Json::object();
    for (const auto& [key, value] : node.entries())
      map[key] = json_of_node(value);
    return map;
  }
  case Node::Kind::scalar: break;
  }
  if (node.quoted())
    return node.text();
  if (const auto on = config::switch_of(node))
    return *on;
  const auto number = Json::parse(node.text(), nullptr, false);
  return number.is_number() ? number : Json(node.text());
}

Json json_of_component(const ListedComponent& component) {
  Json json{{"kind", component.kind},
            {"name", component.name},
            {"options", json_of_node(component.options)}};
  if (component.kind != "extension")
    return json;
  const auto& extension = component.extension;
  json["gate"] = extension.gate;
  json["workers"] = extension.workers;
  json["deadline"] = std::isfinite(extension.deadline) ? Json(extension.deadline) : Json();
  json["triggers"] = extension.triggers;
  json["writes"] = extension.writes;
  json["needs"] = extension.needs;
  return json;
}

} // namespace

const std::vector<std::string>& listed_kinds() {
  static const std::vector<std::string> kinds{"problem",     "model",    "layer",
                                              "loss",        "metric",   "optimizer",
                                              "update_rule", "log_sink", "extension"};
  return kinds;
}

std::vector<ListedComponent> listed_components() {
  std::vector<ListedComponent> listed;
  const auto defaults = [](const auto& kind) { return kind.defaults(); };
  const auto none = [](const auto&) { return no_listed_options(); };
  list_kinds(problem_kinds(), "problem", defaults, listed);
  list_kinds(model_kinds(), "model", defaults, listed);
  list_kinds(layer_kinds(), "layer", defaults, listed);
  list_kinds(loss_kinds(), "loss", none, listed);
  for (const auto& name : listed_metrics())
    listed.push_back({"metric", name, no_listed_options()});
  list_kinds(optimizer_kinds(), "optimizer", defaults, listed);
  list_kinds(
    update_rule_kinds(), "update_rule",
    [](const UpdateRuleKind& kind) { return setting_nodes(kind.settings); }, listed);
  list_kinds(log_sink_kinds(), "log_sink", defaults, listed);
  list_kinds(extension_kinds(), "extension", defaults, listed);
  for (auto& component : listed)
    if (component.kind == "extension")
      component.extension = listed_extension(*extension_kinds().find(component.name));
  return listed;
}

std::string kinds_text(const std::vector<ListedComponent>& components) {
  std::string text;
  for (const auto& kind : listed_kinds()) {
    std::vector<std::string> names;
    for (const auto& component : components)
      if (component.kind == kind)
        names.push_back(component.name);
    if (!names.empty())
      text += fmt::format("{:<12} {}\n", kind, joined(names));
  }
  return text;
}

std::string component_text(const ListedComponent& component) {
  auto text
    = component.options.entries().empty() ? "no options\n" : config::to_yaml(component.options);
  if (component.kind != "extension")
    return text;
  const auto& extension = component.extension;
  text += fmt::format("# {} of {}\n", extension.gate ? "a gate" : "an observer",
                      extension.workers == "all" ? "each worker" : "the main worker");
  const auto line = [&text](const std::string& what, const std::vector<std::string>& names) {
    if (!names.empty())
      text += "# " + what + ": " + joined(names) + "\n";
  };
  line("called at", extension.triggers);
  line("writes", extension.writes);
  line("needs", extension.needs);
  return text;
}

std::string components_json(const std::vector<ListedComponent>& components) {
  auto json = Json::array();
  for (const auto& component : components)
    json.push_back(json_of_component(component));
  return json.dump(2);
}

} // namespace troupe
