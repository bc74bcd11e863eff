#include "apps/manual/completion_script.hpp"

#include "base/text/text.hpp"

#include <stdexcept>

namespace troupe {

namespace {

std::string last_word(const std::string& name) { return name.substr(name.rfind(' ') + 1); }

/// The values with a fixed choice that the positionals of a command take.
std::vector<std::string> choices_of_positionals(const CommandDescription& command) {
  std::vector<std::string> choices;
  for (const auto& positional : command.positionals)
    choices.insert(choices.end(), positional.choices.begin(), positional.choices.end());
  return choices;
}

/// The words that can follow a command, separated by blanks: commands, choices, options.
std::string words_after(const CommandDescription& command) {
  std::vector<std::string> words;
  for (const auto& sub : command.commands)
    words.push_back(last_word(sub.name));
  const auto choices = choices_of_positionals(command);
  words.insert(words.end(), choices.begin(), choices.end());
  for (const auto& option : command.options)
    words.insert(words.end(), option.names.begin(), option.names.end());
  return joined(words, " ");
}

/// A pattern of bash's `case` with the words to complete.
std::string bash_case(const std::string& pattern, const std::string& words) {
  return "    " + in_shell_quotes(pattern) + ") words=" + in_shell_quotes(words) + " ;;\n";
}

std::string bash_choices(const CommandDescription& command) {
  std::string cases;
  for (const auto& option : command.options)
    for (const auto& name : option.names)
      if (!option.choices.empty())
        cases += bash_case(command.name + " " + name, joined(option.choices, " "));
  return cases;
}

std::string bash_script(const CommandDescription& program) {
  auto words = bash_case(program.name, words_after(program));
  std::string choices;
  for (const auto& command : program.commands) {
    words += bash_case(command.name, words_after(command));
    choices += bash_choices(command);
  }
  return "# bash completion of " + program.name + "\n_" + program.name + R"(() {
  local current=${COMP_WORDS[COMP_CWORD]} command=)"
         + program.name + R"( words=
  ((COMP_CWORD > 1)) && command+=" ${COMP_WORDS[1]}"
  case "$command ${COMP_WORDS[COMP_CWORD-1]}" in
)" + choices
         + R"(  esac
  [[ $words ]] || case "$command" in
)" + words
         + R"(  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -o bashdefault -o default -F _)"
         + program.name + " " + program.name + "\n";
}

/// A line of zsh's _arguments: "--folder[train in this folder]:TEXT:_files"
std::string zsh_argument(const OptionDescription& option, const std::string& name) {
  std::string text;
  for (const char c : option.text)
    text += c == '[' || c == ']' || c == ':' ? std::string{"\\"} + c : std::string{c};
  const auto choices = joined(option.choices, " ");
  return in_shell_quotes(name + "[" + text + "]"
                         + (option.value.empty() ? ""
                            : choices.empty()    ? ":" + option.value + ":_files"
                                                 : ":" + option.value + ":(" + choices + ")"));
}

std::string zsh_script(const CommandDescription& program) {
  auto script = "#compdef " + program.name + "\n_" + program.name
                + "() {\n  local -a commands\n  commands=(\n";
  for (const auto& command : program.commands)
    script += "    " + in_shell_quotes(last_word(command.name) + ":" + command.text) + "\n";
  script += "  )\n  if ((CURRENT == 2)); then\n    _describe command commands\n    return\n  fi\n"
            "  local command=$words[2]\n  shift words\n  ((CURRENT--))\n  case $command in\n";
  for (const auto& command : program.commands) {
    script += "    " + last_word(command.name) + ")\n      _arguments -s";
    for (const auto& option : command.options)
      for (const auto& name : option.names)
        script += " \\\n        " + zsh_argument(option, name);
    if (const auto choices = choices_of_positionals(command); !choices.empty())
      script += " \\\n        " + in_shell_quotes("1: :(" + joined(choices, " ") + ")");
    script += " \\\n        '*: :_files'\n      ;;\n";
  }
  return script + "  esac\n}\n_" + program.name + " \"$@\"\n";
}

std::string fish_script(const CommandDescription& program) {
  const auto begin = "complete -c " + program.name;
  auto script = "# fish completion of " + program.name + "\n";
  for (const auto& command : program.commands) {
    script += begin + " -n __fish_use_subcommand -f -a " + last_word(command.name) + " -d "
              + in_shell_quotes(command.text) + "\n";
    const auto seen
      = begin + " -n " + in_shell_quotes("__fish_seen_subcommand_from " + last_word(command.name));
    for (const auto& choice : choices_of_positionals(command))
      script += seen + " -a " + choice + "\n";
    for (const auto& option : command.options) {
      script += seen;
      for (const auto& name : option.names)
        script += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      script += option.value.empty() ? "" : " -r";
      if (!option.choices.empty())
        script += " -f -a " + in_shell_quotes(joined(option.choices, " "));
      script += " -d " + in_shell_quotes(option.text) + "\n";
    }
  }
  return script;
}

} // namespace

const std::vector<std::string>& completed_shells() {
  static const std::vector<std::string> shells{"bash", "fish", "zsh"};
  return shells;
}

std::string completion_script(const CommandDescription& program, const std::string& shell) {
  if (shell == "bash")
    return bash_script(program);
  if (shell == "fish")
    return fish_script(program);
  if (shell == "zsh")
    return zsh_script(program);
  throw std::invalid_argument("completion: there is no script for the shell '" + shell + "'");
}

} // namespace troupe
