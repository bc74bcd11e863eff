#include "apps/manual/command_description.hpp"

#include <CLI/CLI.hpp>

namespace troupe {

namespace {

/// The members of a check for one of several values, which the type's name shows as
/// "TEXT:{train,test}".
std::vector<std::string> choices_of(const std::string& type) {
  const auto begin = type.find('{');
  const auto end = type.find('}');
  if (begin == std::string::npos || end == std::string::npos || end < begin)
    return {};
  return CLI::detail::split(type.substr(begin + 1, end - begin - 1), ',');
}

OptionDescription describe_option(const CLI::Option& option) {
  OptionDescription description;
  if (option.nonpositional()) {
    for (const auto& name : option.get_lnames())
      description.names.push_back("--" + name);
    for (const auto& name : option.get_snames())
      description.names.push_back("-" + name);
  } else {
    description.names = {option.get_single_name()};
  }
  const auto type = option.get_type_name();
  if (option.get_items_expected_max() > 0)
    description.value = type.substr(0, type.find(':'));
  description.choices = choices_of(type);
  description.text = option.get_description();
  description.required = option.get_required();
  description.repeats = option.get_items_expected_max() > 1;
  return description;
}

} // namespace

CommandDescription describe_command(const CLI::App& app, const std::string& name) {
  CommandDescription command{name, app.get_description(), {}, {}, app.get_footer(), {}};
  for (const auto* option : app.get_options())
    (option->nonpositional() ? command.options : command.positionals)
      .push_back(describe_option(*option));
  for (const auto* sub : app.get_subcommands({}))
    command.commands.push_back(describe_command(*sub, name + " " + sub->get_name()));
  return command;
}

} // namespace troupe
