#include "apps/commands/manual.hpp"

#include "apps/manual/completion_script.hpp"
#include "apps/manual/man_page.hpp"
#include "base/failure.hpp"
#include "base/files/durable_file.hpp"
#include "base/files/private_files.hpp"
#include "base/text/nearest_name.hpp"
#include "troupe/version.hpp"

#include <CLI/CLI.hpp>

#include <filesystem>
#include <iostream>

namespace troupe {

namespace {

const std::string program_name = "troupe";
const std::string program_version = program_name + " " + version;

const CommandDescription& described(const CommandDescription& program, const std::string& command) {
  std::vector<std::string> names;
  for (const auto& sub : program.commands) {
    names.push_back(sub.name.substr(program.name.size() + 1));
    if (names.back() == command)
      return sub;
  }
  throw UsageError(no_such_command(command, names));
}

/// Writes the page of a command and those of its commands.
void write_pages(const CommandDescription& command, const std::filesystem::path& folder) {
  write_file(folder / man_page_file(command), man_page(command, program_version), Readers::all);
  for (const auto& sub : command.commands)
    write_pages(sub, folder);
}

} // namespace

std::string no_such_command(const std::string& command, const std::vector<std::string>& known) {
  return "there is no command '" + command + "'"
         + suggestion(command, known, "`troupe --help` lists all");
}

void add_man(CLI::App& app, ManCommand& command) {
  command.program = &app;
  auto* man = app.add_subcommand("man", "Print the manual page of the program or of a command");
  man->add_option("command", command.command, "the command; without it the page of the program");
  man->add_option("--outdir", command.outdir, "write the pages of all commands into this folder")
    ->excludes("command");
  man->footer(
    "\nExamples:\n  troupe man train | man -l -\n  troupe man --outdir ~/.local/share/man/man1\n");
}

void add_completion(CLI::App& app, CompletionCommand& command) {
  command.program = &app;
  auto* completion
    = app.add_subcommand("completion", "Print a script that completes commands in a shell");
  completion->add_option("shell", command.shell, "the shell")
    ->required()
    ->check(CLI::IsMember(completed_shells()));
  completion->footer("\nExamples:\n  source <(troupe completion bash)\n"
                     "  troupe completion fish > ~/.config/fish/completions/troupe.fish\n");
}

int print_manual(const ManCommand& command) {
  const auto program = describe_command(*command.program, program_name);
  if (command.outdir.empty()) {
    std::cout << man_page(command.command.empty() ? program : described(program, command.command),
                          program_version);
    return static_cast<int>(ExitCode::done);
  }
  const std::filesystem::path folder = command.outdir;
  make_private_folder(folder);
  write_pages(program, folder);
  return static_cast<int>(ExitCode::done);
}

int print_completion(const CompletionCommand& command) {
  std::cout << completion_script(describe_command(*command.program, program_name), command.shell);
  return static_cast<int>(ExitCode::done);
}

} // namespace troupe
