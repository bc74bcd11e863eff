// The update rules that a sync can name; each is registered in its own file.
//
//   struct EasgdSettings {
//     float elasticity = 0.5f;
//     TROUPE_FIELDS(elasticity);
//   };
//   const RegisterUpdateRule easgd_kind{
//     update_rule_kind<Easgd, EasgdSettings>("easgd", {.elastic = true})};
//
// A rule of one function needs no class:
//
//   const RegisterUpdateRule halves_kind{
//     update_rule_kind("halves", NoSettings{}, [](const NoSettings&, const RoundElements& round) {
//       for (std::size_t i = 0; i < round.after.size(); ++i)
//         round.after[i] = (round.shared[i] + round.mean(i)) / 2;
//     })};
//
// From there on an extension that syncs can say `rule: easgd, elasticity: 0.25`. Worker and holder
// apply the rule, so each needs the file, linked or in a plugin.
#pragma once

#include "base/fields.hpp"
#include "base/registry.hpp"
#include "model/update_rules/update_rule.hpp"

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

namespace troupe {

/// Of S <- a S + b sum, with the sum of a round's contributions. If a is 0, S does not count, even
/// where it is not finite.
struct RuleFactors {
  float a, b; ///< of the shared value, and of the sum
};

/// Some elements of a round, the same ones of each block: at most `elements_at_once`.
struct RoundElements {
  std::span<const float> shared;               ///< S
  std::span<const float* const> contributions; ///< one for each worker, each as long as `shared`
  std::span<float> state;                      ///< what the rule keeps; empty if it keeps none
  /// S after the round. Its elements may lie where those of `shared` or of a contribution do: one
  /// may be written once the same ones of the others have been read.
  std::span<float> after;

  /// Of the contributions' elements number i, added in order.
  float mean(std::size_t i) const {
    auto sum = contributions.front()[i];
    for (const auto* contribution : contributions.subspan(1))
      sum += contribution[i];
    return sum / static_cast<float>(contributions.size());
  }

  /// sum <- the contributions, added in order. @param sum as long as `shared`
  void add_up(std::span<float> sum) const {
    std::copy_n(contributions.front(), sum.size(), sum.begin());
    for (const auto* contribution : contributions.subspan(1)) {
      float* out = sum.data();
      for (std::size_t i = 0; i < sum.size(); ++i)
        out[i] += contribution[i];
    }
  }
};

/// So many elements of a sum stay in the L1 cache.
inline constexpr std::size_t elements_at_once = 2048;

/// What one rule does, with its settings.
class UpdateFormula {
public:
  virtual ~UpdateFormula() = default;

  /// The factors for a round of `count` contributions; nothing: `update` does it.
  virtual std::optional<RuleFactors> factors(float count) const;
  /// Computes `round.after`. Called where factors() gives nothing.
  virtual void update(const RoundElements& round) const;

  /// Elastic rules: out <- what the worker continues with. @param answer S before the round
  virtual void adopt(std::span<const float> own, std::span<const float> answer,
                     std::span<float> out) const;
  /// Why the rule does not suit so many workers, as "an elasticity of ..."; "" if it does.
  virtual std::string defect_with(std::uint64_t workers) const;
};

/// What a worker sends.
enum class Contribution : std::uint8_t {
  parameters,              ///< all of them, as they are
  steps,                   ///< the difference from those it took last; each is to be added once
  parameters_and_gradient, ///< before each update, which each worker makes itself; in rounds
};

/// What workers and holder have to know of a rule beside its formula.
struct RuleTraits {
  Contribution sends = Contribution::parameters; ///< what the holder gets
  bool elastic = false;     ///< workers keep their parameters, and move them towards S
  bool keeps_state = false; ///< a block as long as S, from round to round
  /// It steps beyond what workers have sent. Measured elements (running statistics, an optimizer's
  /// slots) become their mean instead: a variance that is extrapolated below 0 ends training.
  bool extrapolates = false;
};

/// One kind of rule: its name, its settings, and how its formula is made.
struct UpdateRuleKind {
  std::string name;      ///< as configurations call it
  RuleSettings settings; ///< their defaults
  RuleTraits traits;     ///< what worker and holder have to know
  /// From all of its settings. @throws std::invalid_argument for those that cannot be.
  std::function<std::shared_ptr<const UpdateFormula>(const RuleSettings&)> make;
};

/// All that are linked or loaded, by name.
template <>
Registry<UpdateRuleKind>& registry_of();
/// The same, to look up.
inline const Registry<UpdateRuleKind>& update_rule_kinds() { return registry_of<UpdateRuleKind>(); }

/// The kind of a rule. @throws std::invalid_argument if there is none
const UpdateRuleKind& kind_of(const UpdateRule& rule);

/// Of the rule's kind. @throws std::invalid_argument if there is none
inline const RuleTraits& traits_of(const UpdateRule& rule) { return kind_of(rule).traits; }

/// With all settings: "easgd (elasticity 0.25)". Equal texts mean equal rules.
std::string text_of(const UpdateRule& rule);

/// @returns why the rule cannot be applied here, as a sentence; "" if it can. A rule of another
///          process may have any name and settings.
std::string defect_of(const UpdateRule& rule);

/// What is said of a name that no rule has: the nearest one, all known ones, and the cure.
std::string unknown_rule(const std::string& name);

/// With its settings, over their defaults. @throws std::invalid_argument for what `defect_of` names
std::shared_ptr<const UpdateFormula> formula_of(const UpdateRule& rule);

/// Makes a rule known; one of namespace scope in the rule's own file.
using RegisterUpdateRule = Registration<UpdateRuleKind>;

/// For rules without settings.
struct NoSettings {
  TROUPE_FIELDS();
};

namespace detail {

/// Calls `visit(name, setting)` for each.
template <HasFields Settings, class Visit>
void each_setting(Settings& settings, Visit visit) {
  const auto names = split_names(Settings::field_names);
  std::size_t i = 0;
  [[maybe_unused]] const auto look = [&](auto& setting) {
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(setting)>, float>,
                  "the settings of an update rule are floats");
    visit(names[i++], setting);
  };
  settings.with_fields([&](auto&... setting) { (look(setting), ...); });
}

template <HasFields Settings>
RuleSettings settings_of(Settings given) {
  RuleSettings settings;
  each_setting(given, [&](const std::string& of, float& x) { settings.emplace(of, x); });
  return settings;
}

template <HasFields Settings>
Settings read_settings(const RuleSettings& given) {
  Settings settings;
  each_setting(settings, [&](const std::string& of, float& x) { x = given.at(of); });
  return settings;
}

} // namespace detail

/// A rule whose formula is constructed from its settings, a struct of floats with TROUPE_FIELDS.
template <class Formula, HasFields Settings = NoSettings>
UpdateRuleKind update_rule_kind(std::string name, RuleTraits traits = {}) {
  return {std::move(name), detail::settings_of(Settings{}), traits, [](const RuleSettings& given) {
            return std::make_shared<const Formula>(detail::read_settings<Settings>(given));
          }};
}

/// A rule of one function: `update(settings, round)` computes `round.after`.
template <HasFields Settings, std::invocable<const Settings&, const RoundElements&> Update>
UpdateRuleKind update_rule_kind(std::string name, const Settings& defaults, Update update,
                                RuleTraits traits = {}) {
  struct Formula final : UpdateFormula {
    Formula(Settings of, Update by) : settings(std::move(of)), function(std::move(by)) {}
    void update(const RoundElements& round) const override { function(settings, round); }
    Settings settings;
    Update function;
  };
  return {std::move(name), detail::settings_of(defaults), traits,
          [update](const RuleSettings& given) {
            return std::make_shared<const Formula>(detail::read_settings<Settings>(given), update);
          }};
}

} // namespace troupe
