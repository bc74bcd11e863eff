// A command line as plain values, from which manual pages and completions are made.
#pragma once

#include <string>
#include <vector>

namespace CLI { // NOLINT(readability-identifier-naming): the library's
class App;
}

namespace troupe {

struct OptionDescription {
  std::vector<std::string> names;   ///< "--quiet", "-q"; of a positional: its name
  std::string value;                ///< what follows the name: "TEXT"; "": nothing does
  std::vector<std::string> choices; ///< the only values that it takes; empty: any
  std::string text;                 ///< what it does
  bool required = false;
  bool repeats = false; ///< takes several values
};

struct CommandDescription {
  std::string name; ///< "troupe train"
  std::string text; ///< what it does, in a line
  std::vector<OptionDescription> positionals;
  std::vector<OptionDescription> options;
  std::string footer; ///< sections below the options, each with a title that ends with a colon
  std::vector<CommandDescription> commands;
};

/// @param name the words by which the command is called
CommandDescription describe_command(const CLI::App& app, const std::string& name);

} // namespace troupe
