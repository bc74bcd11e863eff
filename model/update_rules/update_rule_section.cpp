// Update rules in a section of a configuration.
#include "base/config/decode.hpp"
#include "model/update_rules/update_rule_kind.hpp"

namespace troupe {

using config::Node;

namespace {

/// The settings of a kind that the section gives. @param chosen whose settings are not another's
RuleSettings settings_in(const Node& section, const UpdateRuleKind& kind,
                         const UpdateRuleKind& chosen, const std::string& path,
                         std::vector<std::string>& errors) {
  RuleSettings settings;
  for (const auto& [name, usual] : kind.settings) {
    const auto* given = section.find(name);
    if (given == nullptr || given->is_null()
        || (&kind != &chosen && chosen.settings.count(name) > 0))
      continue;
    auto value = usual;
    config::detail::read_real(*given, value, config::detail::below(path, name), errors);
    settings[name] = value;
  }
  return settings;
}

} // namespace

void read_spread(const Node& section, const std::string& key, UpdateRule& rule,
                 const std::string& path, std::vector<std::string>& errors) {
  const auto names = update_rule_kinds().names();
  if (const auto* name = section.find(key); name != nullptr && name->text() != rule.name) {
    if (!name->is_scalar() || update_rule_kinds().find(name->text()) == nullptr)
      return errors.push_back(
        config::detail::complaint(*name, config::detail::below(path, key),
                                  "is not known" + config::detail::choices(name->text(), names)));
    rule = {name->text(), {}};
  }
  const auto& chosen = kind_of(rule);
  for (const auto& name : names) {
    const auto& kind = *update_rule_kinds().find(name);
    auto settings = settings_in(section, kind, chosen, path, errors);
    if (&kind == &chosen)
      for (const auto& [setting, value] : settings)
        rule.settings[setting] = value;
    else if (const auto defect = defect_of({name, std::move(settings)}); !defect.empty())
      errors.push_back(path + ": " + defect);
  }
}

void write_spread(Node& section, const std::string& key, const UpdateRule& rule) {
  section.put(key, Node::scalar(rule.name, config::default_source, true));
  for (const auto& name : update_rule_kinds().names())
    for (const auto& [setting, usual] : update_rule_kinds().find(name)->settings) {
      const auto text = config::detail::print_real(usual);
      const auto* other = section.find(setting);
      section.put(setting,
                  other == nullptr || other->text() == text ? Node::scalar(text) : Node::null());
    }
  for (const auto& [setting, value] : rule.settings)
    section.put(setting, Node::scalar(config::detail::print_real(value)));
}

} // namespace troupe
