// What a program says of a model or an optimizer: its name and options, as in a configuration.
//
//   Component{"mlp", {{"hidden", {32, 16}}, {"activation", "tanh"}}}
//   Component{"mlp", NetworkOptions{.hidden = {32, 16}, .activation = "tanh"}}
#pragma once

#include "base/config/decode.hpp"
#include "base/config/node.hpp"

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// The value of an option, of any type that a configuration can give it.
class OptionValue {
public:
  /// true or false.
  OptionValue(std::same_as<bool> auto value) : node_(scalar(value ? "true" : "false")) {}
  /// A whole number.
  OptionValue(std::integral auto value) : node_(scalar(std::to_string(value))) {}
  /// A number.
  OptionValue(double value);
  /// A text.
  OptionValue(const char* value) : OptionValue(std::string{value}) {}
  /// A text.
  OptionValue(const std::string& value);
  /// A list: {64, 32}.
  OptionValue(std::initializer_list<OptionValue> values);

  /// As a configuration has it.
  const config::Node& node() const { return node_; }

private:
  static config::Node scalar(std::string text);
  config::Node node_;
};

/// An option by its name.
struct Option {
  std::string name;  ///< as configurations call it
  OptionValue value; ///< its value
};

/// A component by its name: those of `troupe models` and of the reference, and those that the
/// program or a plugin has registered.
class Component {
public:
  /// @param options those that differ from the defaults
  Component(const char* name, std::initializer_list<Option> options = {});
  /// @param options the kind's own options
  template <HasFields Options>
  Component(const char* name, const Options& options) : Component(name, config::encode(options)) {}
  /// A section of a configuration.
  explicit Component(config::Node section) : section_(std::move(section)) {}

  /// As a configuration has it: a map with `name` and the options.
  const config::Node& section() const { return section_; }

private:
  Component(const char* name, const config::Node& options);
  config::Node section_;
};

} // namespace troupe
