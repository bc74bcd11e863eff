#include "model/facade/component.hpp"

#include "base/text/text.hpp"

namespace troupe {

namespace {

constexpr auto program_source = "in the program";

config::Node named_section(const char* name) {
  auto section = config::Node::map(program_source);
  section.put("name", config::Node::scalar(name, program_source, true));
  return section;
}

} // namespace

config::Node OptionValue::scalar(std::string text) {
  return config::Node::scalar(std::move(text), program_source);
}

OptionValue::OptionValue(double value) : node_(scalar(shortest(value))) {}

OptionValue::OptionValue(const std::string& value)
  : node_(config::Node::scalar(value, program_source, true)) {}

OptionValue::OptionValue(std::initializer_list<OptionValue> values)
  : node_(config::Node::list(program_source)) {
  for (const auto& value : values)
    node_.append(value.node());
}

Component::Component(const char* name, std::initializer_list<Option> options)
  : section_(named_section(name)) {
  for (const auto& option : options)
    section_.put(option.name, option.value.node());
}

Component::Component(const char* name, const config::Node& options)
  : section_(named_section(name)) {
  for (const auto& [key, value] : options.entries())
    section_.put(key, value);
}

} // namespace troupe
