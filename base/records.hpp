// The content of a row of the log: named values.
#pragma once

#include "base/text/text.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>

namespace troupe {

/// One recorded value. A missing one (null in a configuration) is written as the empty string.
/// A class of its own, so that CAF finds its inspect function.
struct Value : std::variant<bool, std::int64_t, double, std::string> {
  using variant::variant;
};

/// One row of the log: record name -> value.
using Records = std::map<std::string, Value>;

/// False for false, 0, 0.0 and the empty string. NaN is not zero, hence true.
inline bool truthy(const Value& value) {
  return std::visit(
    [](const auto& x) {
      if constexpr (std::is_same_v<std::decay_t<decltype(x)>, std::string>)
        return !x.empty();
      else
        return x != 0;
    },
    value);
}

/// The value of a numeric record; nothing for flags and texts.
inline std::optional<double> as_number(const Value& value) {
  if (const auto* real = std::get_if<double>(&value))
    return *real;
  if (const auto* whole = std::get_if<std::int64_t>(&value))
    return static_cast<double>(*whole);
  return {};
}

/// "true", "17", "0.1"; a string is unchanged.
inline std::string to_string(const Value& value) {
  if (const auto* flag = std::get_if<bool>(&value))
    return *flag ? "true" : "false";
  if (const auto* count = std::get_if<std::int64_t>(&value))
    return std::to_string(*count);
  if (const auto* number = std::get_if<double>(&value))
    return shortest(*number);
  return std::get<std::string>(value);
}

} // namespace troupe
