// The numeric options of an optimizer, by their names in TROUPE_FIELDS.
#pragma once

#include "base/fields.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <type_traits>

namespace troupe {

/// @throws std::invalid_argument, listing `known`, if `setting` is not one of them
void check_setting(const std::string& optimizer, const std::map<std::string, double>& known,
                   const std::string& setting);

/// Calls `visit(name, number)` for each numeric option; flags are skipped.
template <HasFields Options, class Visit>
void each_number(Options& options, Visit visit) {
  const auto names = split_names(Options::field_names);
  std::size_t i = 0;
  const auto look = [&](auto& field) {
    const auto& name = names[i++];
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(field)>, double>)
      visit(name, field);
  };
  options.with_fields([&](auto&... field) { (look(field), ...); });
}

/// The numeric options by name.
template <HasFields Options>
std::map<std::string, double> numbers_among(const Options& options) {
  std::map<std::string, double> numbers;
  each_number(options, [&](const std::string& name, double x) { numbers[name] = x; });
  return numbers;
}

/// @returns the options with one number changed
template <HasFields Options>
Options with_number(Options options, const std::string& which, double value) {
  each_number(options, [&](const std::string& name, double& x) {
    if (name == which)
      x = value;
  });
  return options;
}

} // namespace troupe
