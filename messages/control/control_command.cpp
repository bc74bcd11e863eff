#include "messages/control/control_command.hpp"

#include "base/text/nearest_name.hpp"
#include "base/text/number_in.hpp"
#include "base/text/text.hpp"
#include "messages/checkpoint/run_file_names.hpp"
#include "messages/schedule/position.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace troupe {

namespace {

constexpr std::array<std::pair<std::string_view, Verb>, 13> verbs{{
  {"ping", Verb::ping},
  {"status", Verb::status},
  {"pause", Verb::pause},
  {"resume", Verb::resume},
  {"step", Verb::step},
  {"stop", Verb::stop},
  {"set", Verb::set},
  {"save", Verb::save},
  {"evaluate", Verb::evaluate},
  {"attach", Verb::attach},
  {"detach", Verb::detach},
  {"break", Verb::breakpoint},
  {"unbreak", Verb::unbreak},
}};

constexpr std::array<std::pair<std::string_view, StopLevel>, 3> stop_levels{{
  {"after_batch", StopLevel::after_batch},
  {"after_epoch", StopLevel::after_epoch},
  {"now", StopLevel::now},
}};

constexpr std::array<std::pair<std::string_view, Section>, 3> command_sections{{
  {"train", Section::train},
  {"validation", Section::validation},
  {"test", Section::test},
}};

[[noreturn]] void refuse_command(const std::string& sentence) {
  throw std::invalid_argument(sentence);
}

/// @returns the value that `argument` names. @throws std::invalid_argument with the nearest
/// argument.
template <class Choices>
auto choice_named(std::string_view what, const std::string& argument, const Choices& choices) {
  for (const auto& [name, value] : choices)
    if (name == argument)
      return value;
  std::vector<std::string> known;
  for (const auto& choice : choices)
    known.emplace_back(choice.first);
  refuse_command("there is no " + std::string{what} + " " + in_quotes(argument)
                 + suggestion(argument, known, "it is one of: " + joined(known)));
}

Step batch_number(std::string_view what, std::string_view text) {
  const auto number = number_in<Step>(text).value_or(0);
  if (number < 1 || number > (Step{1} << 53))
    refuse_command(std::string{what} + " takes a number of batches from 1, not " + in_quotes(text));
  return number;
}

bool takes_a_batch(Verb verb) {
  return verb != Verb::ping && verb != Verb::status && verb != Verb::resume && verb != Verb::step
         && verb != Verb::breakpoint && verb != Verb::unbreak;
}

void at_most(std::size_t most, const std::string& verb, const std::vector<std::string>& arguments) {
  if (arguments.size() > most)
    refuse_command("'" + verb + "' takes " + (most == 0 ? "no argument" : "one argument") + ", not "
                   + in_quotes(arguments[most]));
}

void read_settings(ControlCommand& command, const std::vector<std::string>& arguments) {
  if (arguments.empty())
    refuse_command("'set' needs a setting, like: set learning_rate=0.01");
  for (const auto& argument : arguments) {
    const auto equals = argument.find('=');
    if (equals == 0 || equals == std::string::npos)
      refuse_command(in_quotes(argument) + " sets nothing; write it like learning_rate=0.01");
    const auto text = std::string_view{argument}.substr(equals + 1);
    const auto value = number_in<double>(text);
    if (!value || !std::isfinite(*value))
      refuse_command(in_quotes(argument) + " has no number; write it like learning_rate=0.01");
    command.settings[argument.substr(0, equals)] = *value;
  }
}

void read_attachment(ControlCommand& command, const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments.front().find('=') != std::string::npos)
    refuse_command("'attach' needs the kind of extension first, like: attach printing "
                   "every_n_batches=10");
  const auto colon = arguments.front().find(':');
  command.type = arguments.front().substr(0, colon);
  command.name = colon == std::string::npos ? command.type : arguments.front().substr(colon + 1);
  if (command.type.empty() || command.name.empty())
    refuse_command(in_quotes(arguments.front())
                   + " lacks a kind or a name; write it like printing:often");
  command.options.assign(arguments.begin() + 1, arguments.end());
  for (const auto& argument : command.options)
    if (argument.find('=') == std::string::npos)
      refuse_command(in_quotes(argument) + " sets nothing; write it like every_n_batches=10");
}

void read_file_name(ControlCommand& command, const std::vector<std::string>& arguments) {
  at_most(1, "save", arguments);
  if (arguments.empty())
    return;
  command.file = arguments.front();
  if (command.file.empty() || command.file.front() == '.'
      || command.file.find('/') != std::string::npos)
    refuse_command("'save' takes the name of a file in the run's folder, like before.bin, not "
                   + in_quotes(command.file));
  if (is_file_of_run(command.file))
    refuse_command("'save' would overwrite " + in_quotes(command.file) + ", "
                   + file_of_run_text("before.bin"));
}

void read_breakpoint(ControlCommand& command, const std::vector<std::string>& arguments) {
  if (const auto text = joined(arguments, " "); !text.empty())
    command.breakpoint = parse_breakpoint(text);
}

void read_breakpoint_number(ControlCommand& command, const std::vector<std::string>& arguments) {
  at_most(1, "unbreak", arguments);
  if (arguments.empty())
    refuse_command("'unbreak' needs the number of a breakpoint, or all; 'break' lists them");
  if (arguments.front() == "all")
    return;
  command.breakpoint_number = number_in<std::uint64_t>(arguments.front());
  if (!command.breakpoint_number)
    refuse_command("'unbreak' takes the number of a breakpoint, or all, not "
                   + in_quotes(arguments.front()));
}

void read_arguments(ControlCommand& command, const std::string& verb,
                    const std::vector<std::string>& arguments) {
  switch (command.verb) {
  case Verb::ping:
  case Verb::pause:
  case Verb::resume: at_most(0, verb, arguments); break;
  case Verb::status:
    at_most(1, verb, arguments);
    if (!arguments.empty() && arguments.front() != "json")
      refuse_command("'status' takes no argument or json, not " + in_quotes(arguments.front()));
    command.json = !arguments.empty();
    break;
  case Verb::step:
    at_most(1, verb, arguments);
    if (!arguments.empty())
      command.batches = batch_number("'step'", arguments.front());
    break;
  case Verb::stop:
    at_most(1, verb, arguments);
    if (!arguments.empty())
      command.level = choice_named("moment to stop", arguments.front(), stop_levels);
    break;
  case Verb::set: read_settings(command, arguments); break;
  case Verb::save: read_file_name(command, arguments); break;
  case Verb::evaluate:
    at_most(1, verb, arguments);
    if (!arguments.empty())
      command.section = choice_named("section", arguments.front(), command_sections);
    break;
  case Verb::attach: read_attachment(command, arguments); break;
  case Verb::detach:
    at_most(1, verb, arguments);
    if (arguments.empty() || arguments.front().empty())
      refuse_command("'detach' needs the name of an extension; 'status' lists them");
    command.name = arguments.front();
    break;
  case Verb::breakpoint: read_breakpoint(command, arguments); break;
  case Verb::unbreak: read_breakpoint_number(command, arguments); break;
  }
}

} // namespace

ControlCommand parse_control_command(const std::string& verb,
                                     const std::vector<std::string>& arguments) {
  ControlCommand command;
  const auto& known = control_verbs();
  if (verb != "ping" && std::find(known.begin(), known.end(), verb) == known.end())
    refuse_command("there is no command " + in_quotes(verb)
                   + suggestion(verb, known, "`troupe ctl --help` lists all"));
  command.verb = choice_named("command", verb, verbs);
  command.text = verb;
  auto rest = arguments;
  for (const auto& argument : rest)
    command.text += " " + argument;
  const auto is_batch = [](const std::string& argument) { return argument.starts_with("at="); };
  if (const auto found = std::find_if(rest.begin(), rest.end(), is_batch); found != rest.end()) {
    if (!takes_a_batch(command.verb))
      refuse_command("'" + verb + "' takes no at=; it is carried out at once");
    command.at = batch_number("at=", std::string_view{*found}.substr(3));
    rest.erase(found);
    if (std::find_if(rest.begin(), rest.end(), is_batch) != rest.end())
      refuse_command("at= is given twice; a command is carried out once");
  }
  read_arguments(command, verb, rest);
  return command;
}

std::string shown_client(const std::string& by) {
  constexpr std::size_t most = 100; // bytes
  if (by.empty())
    return "an unnamed client";
  auto name = by.substr(0, most);
  for (auto& c : name)
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f')
      c = '?';
  return name;
}

const std::vector<std::string>& control_verbs() {
  static const auto names = [] {
    std::vector<std::string> all;
    for (const auto& [name, verb] : verbs)
      if (verb != Verb::ping)
        all.emplace_back(name);
    all.emplace_back("tail");
    return all;
  }();
  return names;
}

Condition moment_of(const ControlCommand& command) {
  Condition condition;
  const auto comes_or_goes = command.verb == Verb::attach || command.verb == Verb::detach;
  condition.callback = comes_or_goes ? Callback::before_batch : Callback::after_batch;
  if (command.at)
    condition.schedule = at(static_cast<double>(*command.at)).batches();
  return condition;
}

} // namespace troupe
