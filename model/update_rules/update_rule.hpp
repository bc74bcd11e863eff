// How a sync combines a worker's parameters W with the shared ones S: a rule's name and its
// settings, as they cross nodes. What each rule does is in its own file, which registers it
// (update_rule_kind.hpp); apply_rule.hpp applies it.
#pragma once

#include "base/fields.hpp"

#include <map>
#include <string>
#include <vector>

namespace troupe {

namespace config {
class Node;
}

/// Numbers by name: {"elasticity": 0.25}.
using RuleSettings = std::map<std::string, float>;

/// A rule of a sync, as it crosses nodes.
struct UpdateRule {
  std::string name = "alpha_beta"; ///< of its kind
  RuleSettings settings = {};      ///< those of the rule; one that is missing has its default
  TROUPE_FIELDS(name, settings);
};

/// In a section of a configuration the name is at `key`, and the settings of all rules beside it
/// (base/config/decode.hpp): `rule: easgd, elasticity: 0.25`. Those of others are checked, too.
void read_spread(const config::Node& section, const std::string& key, UpdateRule& rule,
                 const std::string& path, std::vector<std::string>& errors);
/// A setting for which several rules have different defaults is written without a value.
void write_spread(config::Node& section, const std::string& key, const UpdateRule& rule);

} // namespace troupe
