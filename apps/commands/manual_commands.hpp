// troupe man and troupe completion: manual pages and shell completions, made from the command line's own description.
#pragma once

#include <string>

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

/// @returns the exit code of the program. @throws UsageError for an unknown command; IoError
int print_manual(const ManCommand& command);
int print_completion(const CompletionCommand& command);

} // namespace troupe
