#include "model/update_rules/update_rule_kind.hpp"

#include "base/text/nearest_name.hpp"
#include "base/text/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace troupe {

namespace {

/// Of what another process sends, as much as a sentence may show.
constexpr std::size_t longest_name = 64;

std::string shown_name(const std::string& name) {
  return name.size() <= longest_name ? name : name.substr(0, longest_name) + "...";
}

std::vector<std::string> setting_names(const RuleSettings& settings) {
  std::vector<std::string> names;
  for (const auto& [name, value] : settings)
    names.push_back(name);
  return names;
}

} // namespace

template <>
Registry<UpdateRuleKind>& registry_of() {
  static Registry<UpdateRuleKind> kinds; // there before any file registers its own
  return kinds;
}

std::string unknown_rule(const std::string& name) {
  const auto names = update_rule_kinds().names();
  return "the update rule '" + shown_name(name) + "' is not known here"
         + suggestion(shown_name(name), names,
                      "known: " + joined(names)
                        + "; give all processes one configuration, with the plugin that has the "
                          "rule");
}

const UpdateRuleKind& kind_of(const UpdateRule& rule) {
  if (const auto* kind = update_rule_kinds().find(rule.name))
    return *kind;
  throw std::invalid_argument(unknown_rule(rule.name));
}

std::shared_ptr<const UpdateFormula> formula_of(const UpdateRule& rule) {
  const auto& kind = kind_of(rule);
  auto settings = kind.settings;
  for (const auto& [name, value] : rule.settings) {
    const auto found = settings.find(name);
    if (found == settings.end())
      throw std::invalid_argument("the update rule " + kind.name + " has no setting '"
                                  + shown_name(name) + "'"
                                  + suggestion(shown_name(name), setting_names(settings),
                                               "give all processes the same build of the rule"));
    found->second = value;
  }
  return kind.make(settings);
}

std::string text_of(const UpdateRule& rule) {
  RuleSettings settings;
  if (const auto* kind = update_rule_kinds().find(rule.name))
    settings = kind->settings;
  for (const auto& [name, value] : rule.settings)
    settings[name] = value;
  const auto listed = joined(settings, ", ", [](const auto& setting) {
    return fmt::format("{} {}", setting.first, setting.second);
  });
  return settings.empty() ? rule.name : rule.name + " (" + listed + ")";
}

std::string defect_of(const UpdateRule& rule) {
  try {
    formula_of(rule);
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "";
}

std::optional<RuleFactors> UpdateFormula::factors(float) const { return {}; }
void UpdateFormula::update(const RoundElements&) const {}
void UpdateFormula::adopt(std::span<const float>, std::span<const float> answer,
                          std::span<float> out) const {
  std::copy(answer.begin(), answer.end(), out.begin());
}
std::string UpdateFormula::defect_with(std::uint64_t) const { return ""; }

} // namespace troupe
