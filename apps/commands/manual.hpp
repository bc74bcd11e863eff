// troupe man and troupe completion: manual pages and shell completions, made from the command line's own description.
#pragma once

#include <string>
#include <vector>

namespace CLI { // NOLINT(readability-identifier-naming): the library's
class App;
}

namespace troupe {

struct ManCommand {
  const CLI::App* program = nullptr;
  std::string command; ///< "": the program itself
  std::string outdir;  ///< a folder for the pages of all commands; "": one page, to standard output
};

struct CompletionCommand {
  const CLI::App* program = nullptr;
  std::string shell;
};

void add_man(CLI::App& app, ManCommand& command);
void add_completion(CLI::App& app, CompletionCommand& command);

/// The sentence about a subcommand that does not exist.
std::string no_such_command(const std::string& command, const std::vector<std::string>& known);

/// @returns the exit code of the program. @throws UsageError for an unknown command; IoError
int print_manual(const ManCommand& command);
int print_completion(const CompletionCommand& command);

} // namespace troupe
